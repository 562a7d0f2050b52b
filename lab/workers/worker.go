// A worker for `kasoku run --worker` on Linux: AES-GCM and SHA-256 of Go's standard library. docs/WORKERS.md describes
// the protocol.
//
//	go build -o worker worker.go
package main

import (
	"bufio"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// request holds the fields of a request that this worker reads. A field of another type is an error.
type request struct {
	Operation, Algorithm string
	Fixtures             struct{ Key, Nonce, Aad, Text, Tag string }
	Iterations           *uint64
	Parts                uint64
	Packets, File        any
	Seconds              any
	Threads, Keys        int
	Nonces               string
}

type answer map[string]any

var keyLengths = map[string]int{"aes-128-gcm": 16, "aes-256-gcm": 32}

func work(asked request) (answer, error) {
	keyLength, isGcm := keyLengths[asked.Algorithm]
	isAead := isGcm && (asked.Operation == "seal" || asked.Operation == "open")
	if !isAead && (asked.Algorithm != "sha-256" || asked.Operation != "hash") {
		return answer{"unsupported": "it has no " + asked.Operation + " of " + asked.Algorithm}, nil
	}
	if asked.Packets != nil || asked.File != nil || asked.Seconds != nil || asked.Threads != 1 || asked.Keys != 1 ||
		asked.Nonces != "ahead" {
		return answer{"unsupported": "it measures plain messages, in one thread, under one key"}, nil
	}
	if asked.Iterations == nil {
		return nil, errors.New("the number of iterations is missing")
	}
	if *asked.Iterations == 0 {
		return answer{}, nil
	}
	var inputs [5][]byte
	given := asked.Fixtures
	for i, digits := range []string{given.Key, given.Nonce, given.Aad, given.Text, given.Tag} {
		bytes, err := hex.DecodeString(digits)
		if err != nil {
			return nil, err
		}
		inputs[i] = bytes
	}
	key, nonce, aad, text, tag := inputs[0], inputs[1], inputs[2], inputs[3], inputs[4]
	if asked.Operation == "hash" {
		var digest [sha256.Size]byte
		hash := func() error { digest = sha256.Sum256(text); return nil }
		return timed(asked, hash, func() []byte { return digest[:] })
	}
	if len(key) != keyLength || len(nonce) != 12 {
		return nil, errors.New("the key or the nonce has another length")
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(text)+aead.Overhead())
	if asked.Operation == "seal" {
		seal := func() error { out = aead.Seal(out[:0], nonce, text, aad); return nil }
		return timed(asked, seal, func() []byte { return out })
	}
	// With a tag, the text is a ciphertext that may be forged; otherwise it is to be sealed first.
	sealed, before := append(text, tag...), []byte{}
	if len(tag) == 0 {
		sealed = aead.Seal(nil, nonce, text, aad)
		before = sealed
	}
	open := func() (err error) { out, err = aead.Open(out[:0], nonce, sealed, aad); return err }
	return timed(asked, open, func() []byte { return append(before, out...) })
}

// timed runs an operation once to warm up, then times it in equal parts and answers with the fastest part.
func timed(asked request, run func() error, output func() []byte) (answer, error) {
	if err := run(); err != nil {
		return nil, err
	}
	parts := asked.Parts
	if parts == 0 || parts > *asked.Iterations {
		parts = 1
	}
	each := *asked.Iterations / parts
	wall, cpu := int64(math.MaxInt64), int64(0)
	for part := uint64(0); part < parts; part++ {
		cpuBefore, start := threadTime(), time.Now()
		for i := uint64(0); i < each; i++ {
			if err := run(); err != nil {
				return nil, err
			}
		}
		if taken := time.Since(start).Nanoseconds(); taken < wall {
			wall, cpu = taken, threadTime()-cpuBefore
		}
	}
	return answer{"nanoseconds": wall, "cpu_nanoseconds": cpu, "iterations": each,
		"output": hex.EncodeToString(output())}, nil
}

// threadTime returns the CPU time of this thread in nanoseconds, by clock_gettime(CLOCK_THREAD_CPUTIME_ID).
func threadTime() int64 {
	var passed syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, 3, uintptr(unsafe.Pointer(&passed)), 0)
	return passed.Nano()
}

func main() {
	runtime.LockOSThread()
	lines, answers := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked request
		said := answer{"protocol": 1, "version": runtime.Version() + " crypto"}
		if err = json.Unmarshal(line, &asked); err == nil && asked.Operation != "describe" {
			said, err = work(asked)
		}
		if err != nil {
			said = answer{"error": err.Error()}
		}
		answers.Encode(said)
	}
}
