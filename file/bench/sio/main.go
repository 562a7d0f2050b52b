// Encrypts or decrypts a file with AES-256-GCM of github.com/minio/sio, as in its documentation:
//
//	sio encrypt|decrypt IN OUT
package main

import (
	"fmt"
	"os"

	"github.com/minio/sio"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: sio encrypt|decrypt IN OUT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(what, in, out string) error {
	config := sio.Config{
		MinVersion:   sio.Version20,
		CipherSuites: []byte{sio.AES_256_GCM},
		Key:          []byte("0123456789abcdef0123456789abcdef"),
	}
	from, err := os.Open(in)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.Create(out)
	if err != nil {
		return err
	}
	work := sio.Encrypt
	if what == "decrypt" {
		work = sio.Decrypt
	}
	if _, err := work(to, from, config); err != nil {
		to.Close()
		return err
	}
	return to.Close()
}
