### What results say, in English.
###
### What is said is decided in neutral code; a catalogue only says it. Keys and variables are the same in all catalogues.

## Lists

# Between items.
list-comma = {", "}
# Between items that may contain commas.
list-semicolon = {"; "}
# Between sentences.
list-sentence = {" "}
# Two items.
list-two = { $first } and { $second }
# Several items: all but the last, joined by list-comma, and the last.
list-last = { $most } and { $last }
claim-range = { $low } to { $high }
# A difference without a verb.
claim-change =
    { $outcome ->
        [shown]
            { $direction ->
                [less] { $percent } % less ({ $least } to { $most } %)
               *[more] { $percent } % more ({ $least } to { $most } %)
            }
       *[none] no difference shown ({ $least } to { $most } %)
    }
# Alternatives. Of more than two, $first are all but the last, joined the same way.
list-or = { $first } or { $second }

## Words and small phrases that all of a report shares

words-no-difference = no difference shown
words-failed = failed
words-verified = verified
words-not-verified = not verified
words-counted-nonces = nonces counted
words-threads = { $threads } threads
words-keys = { $keys } keys
words-aad = AAD { $length }
words-times = { $ratio }×
# A level of measurement where it is no name to be typed.
words-level =
    { $level ->
        [primitives] primitives
        [packets] packets
        [files] files
        [jvm] jvm
        [tls] tls
       *[other] { $level }
    }
# The title of a table of algorithms of a kind.
words-kind =
    { $kind ->
        [ciphers] Ciphers
        [authenticated-encryption] Authenticated encryption
        [hashes] Hashes
        [key-agreement] Key agreement
        [signatures] Signatures
        [key-encapsulation] Key encapsulation
        [benchmark-suites] Benchmark suites
        [tls-cipher-suites] TLS cipher suites
       *[other] { $kind }
    }
# What is done with an algorithm.
words-operation =
    { $operation ->
        [encrypt] encrypt
        [decrypt] decrypt
        [seal] seal
        [open] open
        [seal-new-key] seal, new key each
        [seal-update] seal, in parts
        [hash] hash
        [derive] derive
        [sign] sign
        [verify] verify
        [encapsulate] encapsulate
        [decapsulate] decapsulate
        [roundtrip] roundtrip
        [generate] generate
        [protect] protect
        [unprotect] unprotect
        [serve] serve
        [handshake] handshake
        [transfer] transfer
       *[other] { $operation }
    }

## Headings, titles and notes of tables

tables-algorithm = algorithm
tables-algorithms = algorithms
tables-library = library
tables-state = state
tables-code-path = code path
tables-path = path
tables-at-most = ± at most
tables-what = what
tables-why = why
tables-to-install = to install it
tables-all = all
tables-problems = Failed or not verified, and so not ranked
tables-left-out = Left out
tables-failed = failed
tables-unverified = unverified
tables-repeated = measured twice
tables-first-is-shown = the first of them is shown
tables-no-reason = no reason given
tables-not-checked = its output was not checked
tables-unverified-mark = ! the output was not verified: the figure is not ranked or compared
tables-failed-mark = – failed
tables-equal-mark = = no difference shown
tables-on-off-mark = on, off: no difference shown at any size; the figures are those with acceleration on
tables-interval-heading = 95 %
tables-slowest = slowest
tables-next = the next, against it
tables-level = level { $level }
tables-of-library = { $kind } with { $library }, { $unit } (1 MB is 1,000,000 bytes)
tables-public-keys = Public keys, { $unit }, acceleration on
tables-gains = What acceleration is worth: on and off with { $library }
tables-gains-note = 95 %: the interval at { $size }; slowest: times as fast as the slowest of its kind with acceleration on at { $size }
tables-sizes-shown = { $shown } of { $all } sizes; `kasoku show` has all
tables-with-state = { $library } ({ $state })
tables-lacks = not in { $library }
# Why something was left out. $text is what the document itself says of it, in English.
tables-reason =
    { $reason ->
       *[other] { $text }
    }
tables-figures = { $kind }, { $unit }
tables-figures-of-level = { $level }: { $kind }, { $unit }
# $sizes: one size, or several joined by list-or.
tables-fastest = Fastest library at { $sizes }, acceleration on

## The machine and how a run measured, as names and values

facts-cpu = CPU
facts-name = Device
facts-microarchitecture = Microarchitecture
facts-architecture = Architecture
facts-features = Features that matter here
facts-logical-cpus = Logical CPUs
facts-memory = Memory
facts-os = Operating system
facts-kernel = Kernel
facts-hypervisor = Hypervisor
facts-none-seen = none seen
facts-microcode = Microcode
facts-governor = Frequency governor
facts-boost = Boost
facts-allowed = allowed
facts-not-allowed = not allowed
facts-started = Started
facts-kasoku = Kasoku
facts-toolchain = Compiler
facts-starts = Starts of each worker
facts-rounds = Rounds
facts-slice = Slice
facts-took = Took
facts-core-clock = Core clock
facts-no-clock = could not be had: no cycles per byte
facts-noise-floor = Noise floor
facts-dropped = Slices dropped
facts-measuring-loop = Measuring loop
facts-unnamed = an unnamed CPU
facts-cores = { $cores } logical CPUs
facts-under = under { $hypervisor }
facts-clock-from = { $clock }, from { $source }
facts-floor-from = { $floor }, from { $library } against itself: no finer difference is claimed
facts-floor-alone = { $floor }: no finer difference is claimed
facts-floor-unknown = not measured: no difference under { $floor } is claimed
facts-dropped-of = { $dropped } of { $all } ({ $share })
facts-loop-takes = { $time } a call, not subtracted

## Figures that Kasoku did not measure

origin-source = Source
origin-address = Address
origin-note = Note
origin-figures = The figures as they were printed, in the unit of the table.
origin-ratios = Ratios of the figures as they were printed. There are no intervals, so how sure they are is not known.
origin-what =
    { $kind ->
        [published] Figures published in { $source }, not measured by Kasoku: there are no intervals, and no output was verified.
       *[transcript] Figures that another program printed ({ $source }), not measured by Kasoku: there are no intervals, and no output was verified.
    }
origin-method =
    { $kind ->
        [published] These figures stand in the publication as they are here, its mistakes included. How far they scatter and whether the output was right is not known.
       *[transcript] Another program measured and printed these figures; Kasoku read them. How the machine was disturbed meanwhile, how far the figures scatter and whether the output was right is not known.
    }
# A mistake of a publication: what is printed ($printed), what it should be ($follows), what is wrong ($what).
origin-slip = A slip: { $what }
origin-slip-with-follows = A slip (read { $follows }): { $what }
origin-slip-with-printed = † { $printed }: { $what }
origin-slip-with-printed-and-follows = † { $printed } (read { $follows }): { $what }

## The page around its charts and tables

page-about = {" "}· what cryptographic acceleration is worth on a machine
page-skip = Skip to the content
page-contents = Contents
page-incomplete = Incomplete run.
page-incomplete-means = {" "}It did not reach its end. The figures below are what it had; nothing in it is ranked, and its libraries are not compared. kasoku compare holds it against another run.
page-emulated = Emulated.
page-emulated-means = {" "}There is no such CPU here: an emulator did its work. No figure below says anything about a CPU, nothing is ranked, and libraries are not compared.
page-under-wine = Under Wine.
page-under-wine-means = {" "}There was no Windows here: Wine stood in for it. No figure below says anything about Windows, nothing is ranked, and libraries are not compared.
page-notes = Notes
page-notes-link = details
page-libraries = AES-GCM by library
page-key-figures = Key figures
page-verdict = Verdict
page-throughput = Throughput by size
page-public-keys = Public keys
page-ratios = What acceleration is worth
page-on-and-off = Acceleration on and off, by algorithm and library
page-ratios-explained = How many times as fast with acceleration on as with it off: the median of the ratios within rounds, and its 95 % interval. “=”: no difference shown, since the interval does not lie beyond the noise floor.
page-on-over-off = on / off
page-times-the-slowest = times the slowest
page-fastest = The fastest library
page-figures = Every figure
page-figures-explained = Medians; below each, half its 95 % interval. ✓ the output agreed with an independent implementation or published vectors; ! it was not verified, and is not ranked or compared.
page-missing = What is missing
page-background = Machine and method
page-machine = Machine
page-method = Method
page-method-explained = Every library runs in a process of its own for each acceleration state. Rounds visit them in shuffled order, so that drift hits all alike; slices in which the thread did not have its core to itself are dropped. Ratios are taken within rounds, intervals by bootstrap over rounds nested in processes.
page-repeat = To repeat it
page-run = Run `{ $run }`.
page-footer = Made by Kasoku. This page is one file: it loads nothing and runs nothing.
page-runs = Kasoku: { $count } runs
page-window = Kasoku: { $machine }
page-nowhere-different = { $kind }: no difference shown anywhere ({ $libraries }).
page-ratios-of = { $kind }: on / off
page-on-at = on, { $size }
page-with-acceleration = { $algorithm } with acceleration
page-instead-of = { $on } instead of { $off }
page-at-best = { $algorithm } at best
page-at-with = { $size }, { $library }
page-against = { $first } against { $second }
page-ahead-at = AES-128-GCM, { $what }: { $fast } and { $slow } GB/s

## Captions and descriptions of charts

charts-acceleration-on = acceleration on
charts-acceleration-off = acceleration off
charts-on = on
charts-off = off
charts-by-library = { $task } by library at { $size }
charts-by-size = { $task } by size
charts-at = { $figure } at { $size }
charts-worth-by-algorithm = With acceleration on and off: { $library }, { $size }
charts-worth = { $ratio } when on
charts-overview = { $kind } with { $library } at { $size }
charts-overview-of-operation = { $kind }, { $operation }, with { $library } at { $size }
# $blocks: what charts-block says of each group, then charts-marks.
charts-bars = Bars in { $unit }. { $blocks }
# $ends: what charts-ends says of each state, sentences.
charts-curves = Throughput by size, { $count } lines. { $ends }
# $first and $last: what charts-at says of the smallest and the largest size.
charts-ends = { $name }: { $first }, { $last }.
charts-line = { $state ->
        [on] { $library } with acceleration on
        [off] { $library } with acceleration off
       *[other] { $library } with acceleration { $state }
    }
charts-bar = { $label } { $figure }
charts-block = { $heading }: { $bars }.
charts-bars-of = Bars in { $unit }, each time in the order { $names }. { $blocks }
charts-figures = { $bars }.
charts-marks = Lines: { $marks }.
charts-shares = Bars in { $unit }, in brackets shares in per cent. { $blocks }

## Packets

packets-title = Packets
packets-explained = What protects a QUIC packet of a given size: the cipher alone, without set-up, additional data and tag; the whole AEAD; and that with the encryption of the packet’s number and header bits. Speeds count the payload. Where a library takes several packets at once, those too.
packets-header-protection-bar = + header protection
packets-cipher = cipher
packets-header = + header
packets-receive = receive
packets-aes-alone = AES alone
packets-bound = bound
packets-share-of-bound = share of the bound
packets-all-that-gcm-needs = all that GCM needs
packets-another-part = another part of it
packets-library = library
packets-what = what
packets-packets-at-once = packets at once
packets-tls-record = TLS record
packets-overhead = overhead
packets-header-protection-costs = header protection: more time
packets-setup-costs = set-up: more time
packets-effects-explained = Header protection is held against the AEAD, set-up (nonce, additional data, tag) is what the AEAD takes beyond the cipher alone, batches are held against as many packets one by one. Medians of the ratios within rounds, below each its 95 % interval. “=”: no difference shown.
packets-bracket-mark = in brackets: the share of this CPU’s bound, the mix of operations that GCM needs
packets-summary-note = the share is that of this CPU’s bound; `kasoku show` has every size and key length
packets-more = Every size and library, what each part costs
packets-at-once = × { $batch }
packets-effects = Packets with { $algorithm }: what costs what
packets-over-tls = { $algorithm }: QUIC packets over TLS records, cycles a byte
packets-bounds = This CPU’s bounds of { $algorithm }, any size
packets-batches-bring = batches of { $batch }: more packets
packets-chart = { $algorithm } in packets of { $size }
# How packets are made. $work: which part of the protection; $batch: how many packets together; $looped: whether a batch
# is as many calls for single packets.
packets-way =
    { $work ->
        [packet]
            { $looped ->
                [yes] { $batch } in a loop
               *[no]
                    { $batch ->
                        [0] AEAD + header protection
                        [1] AEAD + header protection
                       *[other] batches of { $batch }
                    }
            }
        [cipher]
            { $batch ->
                [0] cipher alone
                [1] cipher alone
               *[other] cipher alone, batches of { $batch }
            }
        [record]
            { $batch ->
                [0] TLS record
                [1] TLS record
               *[other] TLS record, batches of { $batch }
            }
       *[aead]
            { $batch ->
                [0] AEAD
                [1] AEAD
               *[other] AEAD, batches of { $batch }
            }
    }
# The ends of an interval.
packets-interval = { $low } to { $high } %
packets-below =
    { $has_bound ->
        [yes]
            { $has_aes ->
                [yes] Below each figure: half its 95 % interval, then its shares of the bound and of AES alone.
               *[no] Below each figure: half its 95 % interval, then its share of the bound.
            }
       *[no]
            { $has_aes ->
                [yes] Below each figure: half its 95 % interval, then its share of AES alone.
               *[no] Below each figure: half its 95 % interval.
            }
    }
# Of a document: the CPU's bound, and how near narrower registers come to theirs.
packets-bound-is = This CPU’s bound is { $rate }: as fast as it does the mix of operations that GCM needs and nothing else, measured in the same rounds ({ $library }). The cipher alone does less than that mix, and may lie above it.
packets-no-bound = This CPU’s bound was not measured for { $algorithm }, so no share of it is given.
packets-aes-would-reach = AES alone would reach { $rate } ({ $library }).
packets-narrower-reaches = The engine’s `{ $path }` protects packets of { $size } at { $share } of the { $rate } that the mix reaches in registers of its width.
packets-figures =
    Packets with { $algorithm }, { $is_sending ->
        [yes] sending
       *[no] receiving
    }, { $unit }
packets-card = QUIC packets of { $size }
# A table of one size, with its unit; $bound and $aes (AES alone): a figure, or none.
packets-at-size =
    { $bound ->
        [none] { $algorithm } in packets of { $size }, { $unit }
       *[other]
            { $aes ->
                [none] { $algorithm } in packets of { $size }, { $unit } (bound { $bound })
               *[other] { $algorithm } in packets of { $size }, { $unit } (bound { $bound }, AES alone { $aes })
            }
    }
# A library that is handed several packets at once.
packets-by = { $library } in batches of { $batch }
# How fast packets are sent; $share: of the CPU's bound, or none.
packets-rate =
    { $share ->
        [none] { $rate }
       *[other] { $rate }, { $share } of this CPU’s bound
    }
packets-nothing-compared = This run compares nothing that its packets could be judged by.
# By how much time, packets or cycles differ; ($outcome: shown, noise, none).
packets-no-difference =
    { $outcome ->
        [noise] no difference beyond noise shown
       *[none] no difference shown
    }
packets-change-of-time =
    { $outcome ->
        [shown]
            { $direction ->
                [less] { $percent } % less time
               *[more] { $percent } % more time
            }
       *[none] { packets-no-difference }
    }
packets-change-of-packets =
    { $outcome ->
        [shown]
            { $direction ->
                [less] { $percent } % fewer packets
               *[more] { $percent } % more packets
            }
       *[none] { packets-no-difference }
    }
packets-change-of-cycles =
    { $outcome ->
        [shown]
            { $direction ->
                [less] { $percent } % fewer cycles
               *[more] { $percent } % more cycles
            }
       *[none] { packets-no-difference }
    }
# How fast packets of one size are sent. $library, $rate, $share: of the fastest; of each: $of, $rate, $share.
claim-packets-speed = Packets of { $size } with { $algorithm }, header protection included: { $each }.
    .each = { $of } { packets-rate }
    .headline = Packets of { $size }, { $algorithm }, header protection included: { packets-rate } at best, with { $library }.
    .card =
        { $share ->
            [none] { $algorithm }, { $library }
           *[other] { $algorithm }, { $library }, { $share } of this CPU’s bound
        }
# By how much the fastest library is ahead of the next. What a difference is compared with is said with the first.
claim-packets-lead = One packet at a time ({ $algorithm }), { $library }, the fastest, against { $next }, the next: { $each }.
    .each =
        { $is_first ->
            [yes] { packets-change-of-packets } in the same time ({ packets-interval }) at { $of }
           *[no] { packets-change-of-packets } ({ packets-interval }) at { $of }
        }
claim-packets-header-protection = Header protection ({ $library }, { $algorithm }): { $each }.
    .each =
        { $is_first ->
            [yes] { packets-change-of-time } than the AEAD ({ packets-interval }) at { $of }
           *[no] { packets-change-of-time } ({ packets-interval }) at { $of }
        }
claim-packets-setup = Setup, AAD and tag ({ $library }, { $algorithm }): { $each }.
    .each =
        { $is_first ->
            [yes] { packets-change-of-time } than the cipher alone ({ packets-interval }) at { $of }
           *[no] { packets-change-of-time } ({ packets-interval }) at { $of }
        }
claim-packets-batches = Batches of { $batch } ({ $library }, { $algorithm }): { $each }.
    .each =
        { $is_first ->
            [yes] { packets-change-of-packets } in the same time than one at a time ({ packets-interval }) at { $of }
           *[no] { packets-change-of-packets } ({ packets-interval }) at { $of }
        }
# The cost of a byte in a packet over one in a TLS record. $cycles: what a byte takes, or none.
claim-packets-over-tls =
    { $cycles ->
        [none] QUIC over TLS, the cipher’s share ({ $library }, { $algorithm }), against a TLS record of { $record }: { $each }.
       *[other] QUIC over TLS, the cipher’s share ({ $library }, { $algorithm }), against a TLS record of { $record } ({ $cycles } a byte): { $each }.
    }
    .each =
        { $cycles ->
            [none] { packets-change-of-cycles } ({ packets-interval }) in packets of { $of }
           *[other] { packets-change-of-cycles } ({ $cycles } a byte, { packets-interval }) in packets of { $of }
        }
claim-packets-cipher-only = These overheads are the cipher’s alone. The published figure of some 5 % over TLS is end to end, with the kernel and the network in it, and belongs to whole QUIC stacks.

## Encrypted files

files-title = Encrypted files
files-more = Figures, test runs, the published ones, the log
files-explained = Whole files, from opening them to closing them: read, encrypted or decrypted, and written to another file, which is in the system’s cache then and not yet on the device. The tables and figures are those of a published measurement, made again and set beside it.
files-published = published
files-figures = Times and improvements
files-test-run = test run
files-size = size
files-encrypt-off = encrypt, off (ms)
files-decrypt-off = decrypt, off (ms)
files-encrypt-on = encrypt, on (ms)
files-decrypt-on = decrypt, on (ms)
files-encrypt-improvement = encrypt: improvement (%)
files-decrypt-improvement = decrypt: improvement (%)
files-mean = mean
files-table-note = Each time is the mean of a test run’s repetitions. Improvement: (off − on) / off. Less time is better.
files-overview = Files: milliseconds with acceleration on, and time saved by it
files-overview-note = Medians. Copy: the same reading and writing without a cipher. In memory: the same encryption with files in memory (memfd), without a device; some kernels write those more slowly than their page cache.
files-library = library
files-algorithm = algorithm
files-encrypt = encrypt
files-decrypt = decrypt
files-encrypt-saves = saved
files-decrypt-saves = saved (decrypt)
files-encrypt-in-memory = in memory
files-copy = copy
files-milliseconds = milliseconds
files-other-libraries = Other libraries and places
files-published-components = Components of the published measurement (in its own words)
files-log = Log of every repetition
files-figure-times = { $algorithm }, { $library }: times
files-table = { $algorithm }, { $library }: times by test run
files-log-cut = The first { $shown } of { $all } lines. The whole log is written with: kasoku run files --log FILE
# Where files are.
files-place =
    { $storage ->
        [memory] in memory
       *[file]
            { $cache ->
                [cold] cold cache
               *[warm] on the file system
            }
    }
files-figure-improvement =
    { $operation ->
        [encrypt] Encryption, { $library }: improvement
       *[decrypt] Decryption, { $library }: improvement
    }
claim-files-saved = With the AES instructions, files take { $encrypt } % less time to encrypt and { $decrypt } % less to decrypt with { $algorithm } ({ $library }).
# How much of the time of an encryption a copy takes. $in_memory: what claim-files-in-memory says, or nothing.
claim-files-copied = Of the { $whole } ms in which { $library } encrypts { $size } with { $algorithm }, { $share } is what copying the file takes{ $in_memory }.
claim-files-copied-whole = { $library } encrypts { $size } with { $algorithm } in { $whole } ms, no more than copying the file takes ({ $copy } ms){ $in_memory }.
claim-files-in-memory = ; from memory to memory it takes { $time } ms
claim-files-one-thread = { $library } with one thread

## Java

jvm-title = Java
jvm-more = Every run, cipher and server, the published ones, what to set
jvm-explained = What a Java program gets of this CPU: the ciphers of Java’s own provider in each virtual machine, of Mozilla’s NSS through SunPKCS11, and of providers that a program can add (Kasoku, Amazon Corretto Crypto Provider, Conscrypt, Bouncy Castle) as far as they are here, with the CPU’s cryptographic instructions and without; an HTTPS server whose records they seal; and crypto.aes, a workload of SPECjvm2008 written anew from its description. Everything is measured after the compiler has finished.
jvm-who = in
jvm-run = run
jvm-mean = mean
jvm-off = off
jvm-on = on
jvm-improvement = (on − off) / off
jvm-scores = crypto.aes, operations per minute
jvm-scores-note = A run is a start of the virtual machine. The published figures are as printed; theirs is the original benchmark on another machine, so improvements can be compared, and scores cannot.
jvm-parts = What an operation of crypto.aes takes, in seconds of one thread
jvm-state = acceleration
jvm-whole = whole
jvm-share = share of AES
jvm-trap = Most of crypto.aes is 3DES, for which no CPU has instructions: the score says little about AES. AES was measured by itself; where 3DES was not, it is counted as the rest of the time.
jvm-what = what
jvm-size = size
jvm-worth = on / off
jvm-equal-mark = =: no difference shown.
jvm-allocated = B/call
jvm-allocated-note = B/call: bytes that a message allocates for the garbage collector, with acceleration.
jvm-https-cpu = CPU s/GB
jvm-https-sends = × JDK’s
jvm-https-costs = CPU, to JDK’s
jvm-https-note = The JDK’s own server and TLS (jdk.httpserver) on one core, AES-GCM from the provider that stands first; a client on the loopback only counts what comes. CPU: seconds of the server’s process for 10⁹ bytes, with the kernel’s work and the handshakes.
jvm-with-flag = with the flag
jvm-left = of the speed without it
jvm-choose = What follows: a current JDK and no flag is the right configuration. Virtual machines use the instructions by themselves, but only once the code is compiled at its best, after some ten thousand calls: short-lived programs see little of them. One routine switched off (`-XX:-UseAESIntrinsics`, `-XX:-UseGHASHIntrinsics`…) takes most of the speed of GCM away. Where the instructions are missing although the CPU has them (`kasoku cpu`), the hypervisor hides them.
jvm-run-number = { $number }
jvm-ciphers = Ciphers in Java, { $unit }
jvm-https = HTTPS servers in Java: { $suite }, files of { $size }
jvm-https-counted = { $who } itself counted { $share } of what was sent.
jvm-flags = With one flag of the virtual machine, { $unit }
claim-jvm-accelerated = Java, { $algorithm } { $operation }: with the CPU’s instructions { $each } ({ $size }).
    .each = { $times } times as fast in { $of }
claim-jvm-faster = { $algorithm } { $operation } in { $library } is { $times } times as fast as in { $next } ({ $size }).
claim-jvm-flag = { $algorithm } { $operation } is { $times } times as fast without the flag of { $library } ({ $size }).
# $cpu: what claim-change says.
claim-jvm-serves = An HTTPS server in Java ({ $algorithm }) sends { $times } times as much with { $library } as with { $next }; CPU time for a gigabyte: { $cpu }.
claim-jvm-serves-alike = In what an HTTPS server in Java ({ $algorithm }) sends, no difference between { $library } and { $next } is shown; CPU time for a gigabyte: { $cpu }.
claim-jvm-score = crypto.aes in { $library }: { $improvement } % more operations with the CPU’s instructions, though AES by itself is { $times } times as fast: AES is { $share } of its time, 3DES the rest.
claim-jvm-score-alone = crypto.aes in { $library }: { $improvement } % more operations with the CPU’s instructions.

## A TLS web server

tls-title = Web server
tls-more = Charts, ratios, published figures, limits of the system
tls-explained = nginx sends files over TLS, each over a connection of its own. The number of connections is the one with the highest throughput at which no connection waits longer than the limit for its first byte.
tls-explained-here = Server and clients are on this machine, so what a network adds is missing, and the work of receiving is partly on the server’s core.
tls-explained-elsewhere = Server and clients ran on hosts that were reached through a launcher: the figures include the network between them.
tls-overview = Web server: throughput in Gbit/s, and what it took
tls-overview-note = Longest wait: seconds, over all connections. CPU: per cent of the cores; s/GB: the server’s CPU seconds for 10⁹ bytes. A core’s figure is the server’s own where its CPU is the limit.
tls-shared-note = {"*"} Server and clients share cores: there were not enough for both.
tls-workers = workers
tls-size = file
tls-suite = suite
tls-provider = provider
tls-gbit = Gbit/s
tls-gbit-a-core = a core
tls-connections = connections
tls-longest-wait = longest wait
tls-server-cpu = server CPU
tls-server-cpu-max = max
tls-client-cpu = client CPU
tls-seconds-a-gigabyte = s/GB
tls-limit = limit
tls-handshakes = Web server: handshakes a second, and their CPU time
tls-handshakes-note = Full handshakes without resumption (X25519; TLS 1.3 with an ECDSA certificate on P-256, TLS 1.2 with RSA), each followed by an empty file. Server and client: microseconds of CPU time each. Where the client’s CPU is the limit, the server can do more: compare its CPU time.
tls-handshakes-a-second = a second
tls-handshake-server = server µs
tls-handshake-client = client µs
tls-on-openssl = { $library } on OpenSSL { $version }
tls-at-once =
    { $connections ->
        [one] { $connections } connection at once
       *[other] { $connections } connections at once
    }
tls-ratio = AES128-GCM-SHA256 against AES128-SHA: times the throughput
tls-ratio-note = AES128-SHA is OpenSSL’s own in all columns. It is measured without Encrypt-then-MAC, as when the published figures were made: with it OpenSSL does AES-CBC and SHA-1 one after the other.
tls-limits = Limits of the system that the published measurement tuned
tls-limits-note = Connections: how many at once a limit allows, where that can be said; for the fewest workers measured.
tls-limit-name = limit
tls-allows = connections
tls-binds-first = (first)
tls-here = here
tls-published = published
tls-what = what
tls-published-title = The published figures
tls-figure-raw = AES-128-GCM against AES-128-CBC-HMAC-SHA1 without a server, OpenSSL
tls-no-raw-ratio = Without a server the two ciphers are measured by: kasoku run primitives --algorithms aes-128-gcm,aes-128-cbc-hmac-sha1 --libraries openssl; in one run with this level they are shown here.
tls-this-machine = this machine
tls-times = times
tls-served-by = Served by: { $cpu }. The machine of this run is that of the clients.
# What kept the server from sending more.
tls-bottleneck =
    { $what ->
        [server-cpu] server’s CPU
        [client-cpu] clients’ CPU
        [shared-cpu] CPU, shared
        [memory] memory of TCP
       *[neither] neither busy
    }
tls-figure-throughput =
    { $workers ->
        [one] Throughput with { $workers } worker
       *[other] Throughput with { $workers } workers
    }
tls-figure-cpu =
    { $workers ->
        [one] The server’s highest CPU use with { $workers } worker
       *[other] The server’s highest CPU use with { $workers } workers
    }
tls-in-step = { $hosts } hosts put load on the server together; they began at most { $ms } ms apart in any step.
# How a web server sends files. $latency_of: whose time must not exceed the limit, that of the connection until the first
# byte or that of the whole request.
tls-served =
    { $latency_of ->
        [request]
            { $workers ->
                [one] { $workers } worker, whole requests within the limit
               *[other] { $workers } workers, whole requests within the limit
            }
       *[connection]
            { $workers ->
                [one] { $workers } worker
               *[other] { $workers } workers
            }
    }
claim-tls-gcm-over-cbc = A web server with OpenSSL’s own code sends files of more than 1 MiB { $times } times as fast with AES128-GCM-SHA256 as with AES128-SHA (published in 2014: 2 to 2.4 times).
# $others of $all cases show no difference.
claim-tls-provider = With Kasoku’s provider nginx sends { $times } times as much with { $algorithm } as with OpenSSL’s own code.{ $others ->
        [0] {""}
       *[other] {" "}In { $others } of { $all } cases no difference is shown.
    }
# $cpu: what claim-change says of a difference that is shown.
claim-tls-provider-cost = CPU time of nginx for the same files, with Kasoku’s provider against OpenSSL’s own code ({ $algorithm }): { $cpu }.
# Two versions of OpenSSL. $others of $all cases show no difference.
claim-tls-openssl = With OpenSSL { $library } nginx sends { $times } times as much with { $algorithm } as with OpenSSL { $next }.{ $others ->
        [0] {""}
       *[other] {" "}In { $others } of { $all } cases no difference is shown.
    }
claim-tls-openssl-cost = CPU time of nginx for the same files, with OpenSSL { $library } against { $next } ({ $algorithm }): { $cpu }.
claim-tls-handshake-cost = CPU time of nginx for a handshake, with { $library } against { $next } ({ $algorithm }): { $cpu }.
claim-tls-a-core = A core of the server sends up to { $gbit } Gbit/s ({ $algorithm }, { $library }).
claim-tls-other-limits = In { $others } of { $all } cases the server was not what limited the throughput, or shared its cores with the clients: there it could do more.

## Data from end to end

transfer-title = End to end
transfer-more = What each side takes, and against TLS
transfer-explained = A client sends data to a server over the loopback, each a process on a core of its own: by QUIC with quinn, and by TLS 1.3 over TCP with rustls, with each library’s cryptography in turn. CPU time is what the system charges both processes for, its own work included. A network card, which would do a part of that work, is not in it.
transfer-moved = by
transfer-library = library
transfer-goodput = GB/s
transfer-sender = sender
transfer-receiver = receiver
transfer-both = both
transfer-kernel = kernel
transfer-against-usual = both, against aws-lc
transfer-packets = 10³ packets/s
transfer-packets-a-call = a call
transfer-lost = lost
transfer-costs-note = CPU seconds for 10⁹ bytes of the application’s data: medians over the rounds; kernel: the part of it that was spent there; against aws-lc: the median of the ratios within rounds and its 95 % interval. “=”: no difference shown.
transfer-shared-note = Sender and receiver shared a core: there is only one.
transfer-no-offload-note = Each packet was a call of its own: this system has no segmentation offload for UDP.
transfer-effects-note = Medians of the ratios within rounds, in brackets the 95 % interval. “=”: no difference shown.
transfer-over-tls-note = Of the same library, within rounds. Published for another QUIC stack, with segmentation offloaded to the network card for both: about 5 % more than TLS in packets of 1.5 KB, less in packets of 9 KB. On the loopback TCP moves up to 64 KB at a time from one socket to the other, and no card takes work off either.
transfer-chart-unit = CPU s/GB, both sides · the kernel’s share
transfer-again = { $who }, again
transfer-floor-note = Noise floor: { $who } measured again in the same rounds differs from itself by up to { $cpu } in CPU time and { $goodput } in throughput. No smaller difference is claimed.
transfer-disturbed-note = During { $disturbed } of { $all } transfers something else had a core for more than 5 % of the time. They count, and their throughput is lower by that.
transfer-with-interval = { $effect } ({ $low } to { $high })
transfer-costs = End to end with { $algorithm }: CPU seconds for a gigabyte
transfer-gains = End to end with { $algorithm }: CPU time and throughput against aws-lc
transfer-over-tls = End to end with { $algorithm }: CPU time of QUIC against TLS
# How data was moved.
transfer-how =
    { $transport ->
        [quic]
            { $protection ->
                [one-pass] QUIC packets in one pass
               *[provider] QUIC packets
            }
       *[tls]
            { $protection ->
                [one-pass] TLS records in one pass
               *[provider] TLS records
            }
    }
# What was moved, in a few words.
transfer-task =
    { $transport ->
        [quic] QUIC, { $size }
       *[tls] TLS, { $size }
    }
# A library that protects payload and header in one pass.
transfer-one-pass = { $library }, one pass
# What was moved and by whom, in one column.
transfer-by = { $moved } · { $library }
# The CPU time with one library's cryptography beside that with others.
claim-transfer-cost =
    { $transport ->
        [quic] CPU time to move data over QUIC in packets of { $size } ({ $algorithm }), with { $library }: { $each }.
       *[tls] CPU time to move data over TLS 1.3 in records of { $size } ({ $algorithm }), with { $library }: { $each }.
    }
    .each =
        { $outcome ->
            [shown]
                { $direction ->
                    [less] { $percent } % less than with { $of } ({ $least } to { $most } %)
                   *[more] { $percent } % more than with { $of } ({ $least } to { $most } %)
                }
           *[none] no difference shown from { $of } ({ $least } to { $most } %)
        }
# $sender, $both: differences in CPU time, of the sender and of both sides.
claim-transfer-over-tls = CPU time of QUIC against TLS, end to end over the loopback, with { $library }: { $each }.
    .each = in packets of { $of } the sender’s { $sender }, both sides’ { $both }
claim-transfer-published = Published for another QUIC stack, with segmentation offloaded to the network card for both: about 5 % more than TLS in packets of 1.5 KB, less in packets of 9 KB. The loopback has no such card.
claim-transfer-kernel = The kernel’s share of the CPU time, which no cipher can reduce, with { $library }: { $each }.
    .each =
        { $transport ->
            [quic] QUIC, { $of } { $share }
           *[tls] TLS, { $of } { $share }
        }
claim-transfer-lost = Of { $packets } packets, { $lost } were taken for lost and sent again.

## The terminal and exports around their tables

terminal-incomplete = INCOMPLETE: this run did not reach its end. Nothing in it is ranked; compare uses its samples.
terminal-emulated = EMULATED: there is no such CPU here. No figure says anything about one, and nothing is ranked.
terminal-under-wine = UNDER WINE: there was no Windows here. No figure says anything about it, and nothing is ranked.
terminal-note = note:
terminal-verdict = Verdict
terminal-run = Run { $run }
# A row of a table as an item of a list. $rest: its other cells.
terminal-item = { $first }: { $rest }
terminal-run-sentence = Run { $run }.
terminal-run-sentence-with-started = Run { $run }, { $started }.

## Lists of runs

lists-no-runs = The store holds no runs yet.
lists-run = run
lists-started = started
lists-cpu = cpu
lists-kasoku = kasoku
lists-command = command
lists-complete = complete
lists-series = series
lists-failed = failed
lists-label = label
lists-yes = yes
lists-no = no
lists-host = host
lists-seconds = seconds
lists-name = name
lists-version = version
lists-state = state
lists-file = file
lists-stored = stored
lists-already-stored = already stored

## Rankings of machines, and histories of a workload

collection-place = #
collection-machine = machine
collection-os = OS
collection-times-this = × this machine
collection-library = library
collection-known = known from
collection-this-machine = this machine
collection-imported = imported
collection-published = published
collection-any-library = the fastest library of each machine
collection-quoted = Imported and published figures stand as their sources have them: Kasoku did not verify the output behind them, and they have no intervals.
collection-running-stream = Imported and published figures of AEADs are those of one running stream: openssl speed -evp sets no nonce and makes no tag for each message. At small sizes that is faster than whole messages, which is what Kasoku measures.
collection-one-operation = one operation
collection-two-meanings = openssl speed changed what it measures of AES-GCM, CCM, OCB and SIV: before 3.0.16, 3.1.8, 3.2.4, 3.3.3, 3.4.1 and 3.5 updates of one message that runs on, since then whole messages, each with the set-up of its key. That is far slower at small sizes, and 10 to 20 % slower at 16 and 8 KiB.
collection-no-run-and-not-measured = there is no complete run of this machine in the store, and Kasoku does not measure this algorithm: the ranking has other machines only
collection-interval = 95 % interval
collection-change = change
collection-behind = {" "}({ $text })
collection-measured = measured { $day }
collection-imported-from = imported: { $file }
collection-no-run = there is no complete run of this machine in the store, so it is not in the ranking: `{ $command }` makes one
collection-no-figure = the complete runs of this machine have no verified figure of { $what }: `{ $command }` measures it
collection-not-measured = Kasoku does not measure { $algorithm }, so this machine is not in the ranking
collection-without-interval = { $ratio }, no interval
collection-state =
    { $state ->
        [on] acceleration on
        [off] acceleration off
       *[other] acceleration { $state }
    }
# $wanted: the size asked for; $sizes: those at which the machines have figures.
collection-left-out =
    { $machines ->
        [one] { $machines } machine is left out: no figure at { $wanted }; it has one at { $sizes }. None is interpolated.
       *[other] { $machines } machines are left out: no figure at { $wanted }; they have some at { $sizes }. None is interpolated.
    }
# Runs that are left out, and why. $told: those of the next four messages whose count is not 0.
collection-runs-left-out = Left out: { $told }
collection-runs-not-genuine = runs made by an emulator or under Wine ({ $count })
collection-runs-incomplete-imports = incomplete imports ({ $count })
collection-runs-incomplete = incomplete runs ({ $count })
collection-runs-unread = runs that cannot be read ({ $count })
# What one operation is in a figure of an AEAD.
collection-aead-row =
    { $row ->
        [updates] update of a stream
        [messages] message
        [keyed-messages] key set-up and message
       *[unknown] not known
    }
# Rows that are left out, and what one operation is in them ($what: from collection-aead-row).
collection-apart =
    { $count ->
        [one] { $count } figure is left out, in which one operation is another ({ $what }): below { $bytes } they are not comparable.
       *[other] { $count } figures are left out, in which one operation is another ({ $what }): below { $bytes } they are not comparable.
    }
collection-nothing-known = nothing is known of { $what }: no run, import or publication has a figure of it
collection-nothing-known-with-sizes = nothing is known of { $what }; there are figures at { $sizes }

## A site of all machines

# The name of this language.
site-language = English
site-title = What cryptographic acceleration is worth
site-home = All machines
site-machines = Machines
site-algorithms = Algorithms
site-libraries = Libraries
site-algorithm = algorithm
site-operation = operation
site-size = size
site-cpu = CPU
site-generation = generation
site-architecture = architecture
site-run-count = runs
site-newest = newest
site-machine-count = machines
site-fastest = fastest
site-known = known from
site-measured = measured
site-by-library = Each library on each machine
site-worth = What acceleration is worth
site-version = version
site-on = on
site-off = off
site-no-interval = no interval
site-times = times
site-worth-explained = Each row is one library in one run, with acceleration on and off; the factor is on over off. “=”: the 95 % intervals of both overlap, or the figures differ by 3 % or less. Without intervals nothing is claimed.
site-places = Among the other machines
site-places-explained = The place of this machine, by its fastest library with acceleration on, among all machines that have the workload at that size.
site-place = place
site-runs = Runs
site-runs-explained = Each is a JSON document with every sample; `kasoku import` reads it.
site-incomplete = not complete
site-search = Search
site-elsewhere = imported or published
site-nothing-found = Nothing found.
site-sort = Sort by this column
site-footer = Made by `kasoku site`. Imported and published figures are marked as such and stand as their sources have them.
site-about = { $machines } machines, { $runs } runs, { $libraries } libraries
site-worth-by-generation = { $library } on each CPU generation: the largest factor that was measured
site-place-of = { $place } of { $count }
site-most = The first { $shown } of { $all } rows.
site-most-libraries = The { $shown } libraries with the most machines, of { $all }.
site-most-generations = The { $shown } largest factors, of { $all } generations.
# What a page about one algorithm or library is called.
site-named = { $name } on every machine

## Two runs against each other

comparison-title = Two runs against each other
comparison-is = B is
comparison-operation = operation
comparison-unit = unit
comparison-size = size
comparison-interval = 95 %
comparison-too-few = no interval: too few samples
comparison-reading = B/A: how many times as fast B is; = no difference shown; ? no interval, so no difference is claimed
comparison-unlike = †: one operation is not quite the same in A and B, or that is not known. Kasoku seals whole messages under one key; a row of openssl speed is an update of one message that runs on, or, of AES-GCM from 3.0.16, 3.1.8, 3.2.4, 3.3.3, 3.4.1 and 3.5 on, a whole message with the set-up of its key.
comparison-nothing-shared = The two runs share no workload with a figure on the same library in the same state: nothing to compare.
comparison-table = Level { $level }: B against A
comparison-folded-too-few = { $count } more: too few samples that count for an interval, so nothing is claimed (--all shows them)
comparison-incomplete = INCOMPLETE: { $letter } did not reach its end. It is compared by the samples it has; nothing in it is ranked.
comparison-two-machines = Two machines, { $first } and { $second }: a difference is one of machines, not only of software.
comparison-environment = What else differs
comparison-property = property
comparison-property-of = { $of }: { $property }
comparison-mitigation = Mitigation of { $vulnerability }
comparison-slice = Slice (ms)
comparison-command = Command
comparison-loaded-from = loaded from
comparison-program = Kasoku's program (hash)
comparison-version = version
comparison-environment-more = { $count } more differences (--all shows them)
comparison-same-environment = Nothing else that the runs record about machine, system, libraries and options differs.
comparison-apart = Not compared, since one operation is an update of a stream in one and a message with the set-up of its key in the other, below { $bytes } ({ $count }): { $what }
comparison-unsound = Left out, since failed or not verified in one of them ({ $count }): { $what }
comparison-only-in = Only in { $letter } ({ $count }): { $what }
comparison-more = and { $count } more
comparison-verdict =
    { $verdict ->
        [slower] slower
        [faster] faster
        [no-difference] =
       *[no-interval] ?
    }
comparison-quoted =
    { $kind ->
        [published] no interval: published figures
       *[transcript] no interval: imported figures
    }
comparison-no-samples = no interval: no samples
comparison-folded =
    { $count ->
        [one] { $count } more: no difference shown (--all shows it)
       *[other] { $count } more: no difference shown (--all shows them)
    }
comparison-source =
    { $kind ->
        [published] published in: { $source }
       *[transcript] imported from: { $source }
    }
comparison-counts =
    Of { $all } compared: { $slower } slower, { $faster } faster, { $same } with no difference shown{ $unknown ->
        [0] { "" }
       *[other] , { $unknown } without an interval
    }.

## Steps in the cost by size

steps-title = Steps
steps-sizes-heading = sizes
steps-counted = counted
steps-fixed = fixed, ns
steps-per-byte = ns/byte
steps-cycles = cycles/byte
steps-cause-unknown = Why: cause unknown.
steps-nothing = Nothing here was measured at four sizes or more, so nothing can be said of steps. A sweep shows them: `kasoku run primitives --algorithms aes-128-ctr --libraries openssl --sizes sweep`
steps-incomplete = INCOMPLETE: this run did not reach its end. The fit uses the figures that it has.
steps-reading = fixed: where the line meets no bytes at all, which for lines that begin late may be below zero
steps-sentence = { $about }: { $what }.
steps-absence = { $name }: No jump at { $from } bytes, where the same code has one on other machines. { $reason }
steps-cause = Why: { $reason }
steps-none-at-all = No steps: in all of { $curves }, operations cost what a fixed cost and a cost per byte make of them.
steps-costs = a byte costs { $before } ns before and { $after } ns after
steps-code-paths = code path { $before } before, { $after } after
steps-threads = { $threads } threads
# How many sizes were measured, and how steps were found among them.
steps-sizes =
    { $rule ->
        [sweep] { $count } sizes swept
       *[table] { $count } sizes, judged by what a fixed cost and a cost per byte can make
    }
# How bytes are counted. $rest: what the bytes beyond whole units of $unit bytes cost; $more: how many ns.
steps-form =
    { $rest ->
        [per-byte] a rest of { $unit } B: { $more } ns/byte more
        [per-missing-byte] in units of { $unit } B: { $more } ns for each byte missing
       *[whole]
            { $unit ->
                [1] {""}
               *[other] in whole units of { $unit } B
            }
    }
steps-place = At { $at } bytes
steps-place-between = Between { $before } and { $at } bytes (nothing was measured between)
steps-jump-faster = { $faster } times as fast at { $at } bytes as the line before, drawn on
steps-jump-slower = { $slower } times as long at { $at } bytes as by the line before, drawn on
steps-none = No step in { $names }.

## The machine among the others

others-title = This machine among the others
others-explained = One thread of openssl with acceleration on, on every machine the same work: messages of 16 KiB for ciphers and hashes, whole operations for curves. A bar begins at zero and is as long as its figure; one too short to be seen is drawn as a thin line. Libraries and their versions differ; they stand below.
others-quoted = Figures marked * were imported or published: they are shown as in their sources, have no intervals, and their output is unverified.
others-this-machine = this machine
others-measured = measured by Kasoku
others-elsewhere = imported or published*
others-symmetric = Symmetric ciphers
others-hashes = Hashes
others-curves = Curves
others-not-here = This run has no verified figure of it.
others-all = All of them: `{ $command }`
others-more = Other algorithms, and where the figures come from
others-machines = The machines and where their figures come from
others-unread = Other runs could not be read, so only published figures stand here: { $why }
others-gap = … { $count } more …

## Earlier runs of the machine

history-title = History
history-alone = There is one run of this machine so far. From the second on this section shows how its main workloads go over time, and where a change is shown.
history-quoted = These figures are from elsewhere: there are no runs of that machine to follow.
history-unchanged = No difference is shown between one run and the next in any of the main workloads.
history-changed = Changes that are shown, each against the run before:
history-legend = “=”: no difference shown. A figure alone has no run before it.
history-versions-differ = The version of a library is not the same in all of these runs.
history-table = The main workloads over the runs of this machine
history-this-run = this run
history-oldest = oldest
history-newest = newest
history-most = The newest { $count } runs; all of them: `{ $command }`
history-rule = A change is shown where the 95 % intervals of both runs do not overlap and the figures differ by more than { $percent } %.
history-change = { $workload }: { $times } on { $when }
history-line = { $library }: from { $oldest } to { $newest } over { $count } runs.
# $lines: what history-line says of each library, sentences.
history-chart = A line chart in { $unit }, the oldest run on the left. { $lines }

## Steps and advice on the page

around-steps = Steps
around-steps-explained = Where the time of a workload jumps with its size: more than a fixed cost and a cost for each byte can make. Sweeps come first, then the largest jumps.
around-choices = What to choose
around-advice = Advice, with lines to paste
around-advice-all = Why, and lines to paste for each program
around-advice-act = to do
around-advice-paste = To paste:{" "}
# What has steps beyond those that are shown, with the command that shows them.
around-steps-more =
    { $count ->
        [one] { $count } more workload has a step: `{ $command }`
       *[other] { $count } more workloads have a step: `{ $command }`
    }

## Advice

advice-unnamed = a machine without a name
advice-incomplete = This run did not reach its end, so its figures are not used.
advice-nothing = No advice: no figure or feature of this machine leads to any. `kasoku run --quick` measures some.
advice-nothing-on-topic = No advice on what was asked: there are no figures for it. `kasoku run --quick` measures most of them.
advice-short = In short
advice-figures = figures
advice-why = why
advice-by-run = From the run { $run }.
# Which topics are advised on by which run.
advice-by-runs = { $topics }: from the run { $run }.
advice-title = Advice for { $machine }
# From which library's figures the choices are made.
advice-library = The choices follow the figures of { $library } in one thread.
# Figures from a publication or transcript.
advice-origin =
    { $kind ->
        [published] The figures are quoted from { $source }; Kasoku did not measure them.
       *[transcript] The figures are from the transcript { $source }; Kasoku did not measure them.
    }
## Advice: what it is about

advice-topic = { $topic ->
        [acceleration] Missed acceleration and old libraries
        [tls] TLS
        [quic] QUIC
        [web-server] Web servers
        [ssh] SSH
        [openvpn] OpenVPN
        [wireguard] WireGuard
        [ipsec] IPsec
        [disk] Disks
        [java] Java
        [modes] Modes and old ciphers
        [hashes] Hashes
        [curves] Key agreement and signatures
       *[machine] The machine
    }

## Advice: Missed acceleration and old libraries

advice-mask-set = Take OpenSSL’s CPU mask away: it keeps the library from instructions that the CPU has.
    .why = OPENSSL_ia32cap and OPENSSL_armcap are for tests. Somebody set them once, in a service file or a profile, and every program started from there obeys.
advice-library-ignores-aes = { $library } does not use this CPU’s AES instructions: use a build that does.
    .why = Builds without assembly (no-asm), or for an older architecture, leave them out.
advice-library-too-old-for-vaes = { $library } is too old for this CPU’s vector AES instructions: use OpenSSL 3.1 or later (3.5 has long-term support).
    .why = OpenSSL has AES-GCM with VAES and AVX-512 from 3.1 (pull request 17239), AES-XTS from 3.5; 3.0 takes one block an instruction.
advice-vaes-without-avx512 = { $library } leaves this CPU’s VAES unused: its path for it needs AVX-512, which this CPU has not. Libraries with a path for VAES and AVX2 (BoringSSL, ring from 0.17.13, Kasoku’s engine) use it.
    .why = Zen 3, and Intel’s client CPUs since Alder Lake, have VAES on 256 bits only.
advice-instructions-hidden = Instructions that this CPU has ({ $hidden }) are hidden by { $by }: pass the host’s CPU through.
    .why = Hypervisors show guests an older CPU by default, so that they can move between hosts; firmware can switch AES off. What that costs cannot be measured from inside.
advice-openssl-out-of-support = Replace { $library }: its public support ended ({ $ended }).
    .why = No more public security fixes, and later versions have the newer code paths. Measure again after the change.

## Advice: TLS and QUIC

advice-tls-aes-gcm = Take AES-GCM for TLS: { $winner } is { $times } times as fast as { $loser } here.
    .why = AES-GCM runs on the CPU’s instructions for AES and carry-less multiplication; ChaCha20 has none of its own. Clients without AES instructions (older phones, small boards) put ChaCha20 first; PrioritizeChaCha gives it to these clients only.
advice-tls-chacha20 = Take ChaCha20-Poly1305 for TLS: it is { $times } times as fast as { $loser } here.
    .why = Where AES has no instructions of its own, ChaCha20-Poly1305 is the faster AEAD, and its software needs no tables that leak through time. Its security is no lower: a 256-bit key and a 128-bit tag. The other side hardly notices: a CPU with AES instructions is fast enough at both.
advice-tls-either = Either AEAD will do for TLS; prefer { $preferred }, because { $because }.
    .why = A difference within the noise is none. Figures that somebody printed have no interval; less than 10 % between them says nothing.
advice-tls-not-measured = Measure AES-GCM and ChaCha20-Poly1305 before choosing for TLS: { $tells }.
    .why = The choice is one of measured speed, and one of the two (or both) was not measured. CBC figures do not stand in for GCM: the two use different instructions.
advice-key-size-128 = Where AES-GCM is used, 128-bit keys are enough; 256 bits cost { $cost } of the throughput.
    .why = Nobody breaks AES-128 by trying keys. Take AES-256 where a policy asks for it, or where what is sent today must stay secret for decades.
advice-key-size-256 = Either key size will do; prefer AES-256, which costs less than 10 % here.
    .why = AES-128 is safe as well; the longer key adds a margin against what is not known yet.
advice-quic-aes-gcm = For QUIC too: { $winner } is { $times } times as fast as { $loser } in packets.
    .why = A packet is short: set-up and tag weigh more than in a TLS record of 16 KiB, so packets are judged by figures at their own size. The header’s protection is not among them.
advice-quic-chacha20 = For QUIC: { $winner } is { $times } times as fast as { $loser } in packets.
    .why = A packet is short: set-up and tag weigh more than in a TLS record of 16 KiB, so packets are judged by figures at their own size. The header’s protection is not among them.

## Advice: nginx, and the limits of the system

advice-nginx-kasoku-provider = Give nginx Kasoku’s provider: with { $suite } it takes { $saved } less CPU time for the same files than with OpenSSL’s own code.
    .why = OpenSSL 3 takes a provider by configuration: nginx stays as it is, and other programs do not notice. OpenSSL passes over a module that it cannot load and says nothing, so look whether it is used. Where the server’s CPU is not the limit, it sends no more, but more of its CPU is left.
advice-nginx-openssl-for-files = Change the OpenSSL under nginx, not its cipher: { $winner } takes { $saved } less CPU time than { $loser } for the same files with { $suite }; another suite of TLS 1.3 saves { $cipher } at most.
    .why = The library decides which instructions and code a cipher runs on, and how a record reaches the socket. nginx needs no other build as long as the file names agree: the loader finds libssl and libcrypto in the folder that it is told. Such a library gets its security fixes from whoever built it, not from the distribution.
advice-nginx-openssl-for-handshakes = For many short connections change the OpenSSL under nginx: { $winner } takes { $saved } less CPU time for a handshake than { $loser }.
    .why = A handshake is a key agreement, a signature and the library’s own work around them; the cipher hardly has a part in it. Where connections bring little data, handshakes are most of what a server does. Session tickets and keep-alive save them altogether.
advice-nginx-aeads-only = Take the suites with AES-CBC out of nginx’s ssl_ciphers: { $loser } costs { $times } times the CPU time of { $winner }.
    .why = In CBC each block waits for the one before, and an HMAC goes over all of it again; its padding has been attacked again and again in TLS (Lucky Thirteen, POODLE). The lines leave out key exchange by RSA too, with which both were measured as published: it keeps no past traffic secret.
advice-nginx-aes-gcm-first = Have nginx put AES-GCM first: { $loser } takes { $cost } more CPU time for the same files.
    .why = If clients choose, they choose the cipher that is fast for them. PrioritizeChaCha still gives ChaCha20 to clients that put it first because they have no AES instructions, and only to these.
advice-limit-reached = Raise { $limit }: it allows { $connections } connections at once, and the measurement took as many.
    .why = With more connections this server might have sent more. Connections over a limit are refused or wait, and throughput does not show it.
advice-limit-first = Before this server holds more than { $connections } connections at once, raise { $limit }: of the system’s limits it is the first to bind.
    .why = Nothing here was slower for it: few connections keep a core busy where the clients are fast. Slow ones hold theirs for long, and there are many of them.

## Advice: SSH and VPNs

advice-ssh-aes-gcm = Put AES-GCM first among SSH’s ciphers; OpenSSH itself prefers ChaCha20-Poly1305.
    .why = Copying files over SSH is bound by the cipher on a fast network. The client’s order decides (RFC 4253), so set it in ssh_config; sshd’s line says what it accepts.
advice-ssh-chacha20 = Leave ChaCha20-Poly1305 first among SSH’s ciphers, with OpenSSH 9.6 or later on both sides.
    .why = It is OpenSSH’s own first choice, and the fast one here. Before 9.6 its handshake can be tampered with (Terrapin, CVE-2023-48795); AES-GCM is not affected, so put that first where an older peer must be served.
advice-openvpn-aes-gcm = Use AES-GCM for OpenVPN, never a CBC cipher.
    .why = The server takes the first cipher of its list that the client has. AES-GCM encrypts and authenticates in one pass; CBC needs an HMAC besides.
advice-openvpn-chacha20 = Use ChaCha20-Poly1305 for OpenVPN (2.5 or later on both sides), or WireGuard.
    .why = The server takes the first cipher of its list that the client has; before 2.5 OpenVPN has no ChaCha20.
advice-wireguard-fits = WireGuard is the VPN for this machine: its only cipher, ChaCha20-Poly1305, is the fast one here ({ $speed } on one core).
    .why = WireGuard has no cipher to set. The kernel has code of its own, so take the figure as an order of magnitude; the network’s own work comes on top.
advice-wireguard-or-aes = WireGuard can only use ChaCha20-Poly1305, { $speed } on one core here; where that is too little, IPsec or OpenVPN with AES-GCM has { $times } times that cipher throughput.
    .why = WireGuard has no cipher to set. Up to a link of 1 Gbit/s (125 MB/s) the difference seldom shows, and its simplicity speaks for it. The kernel has code of its own, so take the figure as an order of magnitude; the network’s own work comes on top.
advice-ipsec-aes-gcm = Propose AES-GCM with its 16-byte tag for ESP.
    .why = The first proposal that both sides have is taken. The kernel does the work with code of its own, which uses the same instructions.
advice-ipsec-chacha20 = Propose ChaCha20-Poly1305 for ESP (RFC 7634) before AES-GCM.
    .why = The first proposal that both sides have is taken; a peer without it falls back to AES-GCM. Where the SoC has a crypto engine that the kernel uses for IPsec, measure that: no figure here covers it.

## Advice: Disks

advice-disk-aes-xts = Encrypt disks with AES-XTS (two 256-bit keys), the default of LUKS 2.
    .why = XTS keeps the size of a sector and every sector is by itself, so its blocks run side by side on the AES instructions. It encrypts but does not authenticate, like every disk mode without extra space. luksFormat erases: it is for a new disk.
advice-disk-adiantum = Encrypt disks with Adiantum instead of AES-XTS.
    .why = Adiantum was made for CPUs without AES instructions: it encrypts a sector with XChaCha12, and AES only once a sector. Adiantum itself was not measured; ChaCha20-Poly1305 does similar work. It needs Linux 5.0 or later. luksFormat erases: it is for a new disk.

## Advice: Java

advice-java-newer-jdk = Run Java in { $newer } rather than in { $older }: AES-128-GCM is { $times } times as fast there.
    .why = What Java does with the CPU’s instructions is decided by the JDK: newer ones have routines for wider vectors, and for AES and GHASH in one pass. The program stays as it is.
advice-java-kasoku-provider = Put Kasoku’s security provider before the JDK’s own: its AES-128-GCM is { $times } times as fast.
    .why = It has AES-GCM only, under the same names, for Java 22 and later; the program stays as it is, and everything else stays with the JDK. docs/JVM.md says what differs.
advice-java-own-provider = Leave AES to Java’s own provider rather than to NSS through SunPKCS11: it is { $times } times as fast.
    .why = Every call to NSS crosses from Java to C and back, and copies. NSS is for keys that must stay in its store, or where its FIPS validation is asked for.
advice-java-nss = NSS through SunPKCS11 is { $times } times as fast at AES-128-GCM as this JDK’s own provider: use it, or a newer JDK.
    .why = Before JDK 8 the JDK had no routines for AES, and where they are switched off it has none now. A newer JDK is the better way: its own provider needs no calls into C.
advice-java-keep-intrinsics = See that the JVM has its AES and GHASH routines on: in { $jdk } they make AES-128-GCM { $times } times as fast.
    .why = They are on by default where the CPU has the instructions. They are off under -Xint, where somebody set -XX:-UseAES or -XX:-UseAESIntrinsics once, and in a guest that is kept from the instructions; and a program that ends within a second ends before they are compiled in.

## Advice: Modes and old ciphers

advice-never-64-bit-blocks = Never use { $cipher } or another cipher with 64-bit blocks, however fast.
    .why = After some 32 GB under one key, blocks repeat and give text away (SWEET32, CVE-2016-2183). OpenSSL 3 keeps most of these in its legacy provider, and TLS 1.3 has none.
advice-gcm-over-cbc = Replace CBC: { $winner } is { $times } times as fast as { $loser }, and authenticates besides.
    .why = In CBC each block waits for the one before, so encrypting cannot use the AES instructions side by side; in GCM it can. CBC also needs an HMAC, which its figure does not hold, and its padding has been attacked again and again in TLS (Lucky Thirteen, POODLE).
advice-cbc-is-half-the-work = Do not use CBC in TLS and VPNs all the same: its figure covers only half of the work.
    .why = CBC does not authenticate: an HMAC over every record comes on top, and its padding has been attacked again and again in TLS (Lucky Thirteen, POODLE). Compare AEADs with each other.

## Advice: Hashes

advice-hash-fastest = Where the choice is yours (checksums, own formats), take { $winner }: { $times } times as fast as { $loser }, the next.
    .why = All of these are safe. In TLS and SSH the suite brings its hash with it, and with an AEAD it hardly matters after the handshake.
advice-hash-either = Where the choice is yours, { $preferred } or { $other } will do; prefer { $preferred }, which more programs have.
    .why = All of these are safe. A difference within the noise is none, and figures without an interval must be 10 % apart to tell anything.
advice-sha-512-over-256 = Of SHA-2, { $winner } is the fast one here: { $times } times as fast as { $loser }. Where 256 bits are wanted, SHA-512/256 gives them at that speed.
    .why = SHA-512 works on 64-bit words, so a 64-bit CPU without SHA instructions takes more bytes a step.
advice-sha-256-over-512 = Of SHA-2, { $winner } is the fast one here: { $times } times as fast as { $loser }.
    .why = Either the CPU has instructions for SHA-256 (few have them for SHA-512), or its words have 32 bits, and SHA-512 needs 64.
advice-sha-1-legacy = Do not choose SHA-1, however fast: it is there for old protocols and files.
    .why = Collisions of SHA-1 have been made (SHAttered, 2017), with chosen beginnings since 2020, and NIST withdraws it by the end of 2030.

## Advice: Key agreement and signatures

advice-agree-x25519 = Agree on keys with X25519: { $figure }.
    .why = Its code is simple to write without branches on secrets, and every current TLS and SSH has it. X448 costs several times as much for a margin that TLS does not need. Each handshake takes one key pair and one agreement on each side.
advice-agree-p256 = Agree on keys with P-256 first, X25519 next: { $winner } is { $times } times as fast as { $loser } with this library.
    .why = OpenSSL has assembly for P-256 on many CPUs. Both are safe. Most clients send a share for X25519 only, and asking them for another costs a round trip: on a public server X25519 first may still be quicker.
advice-agree-hybrid = Prefer the hybrid X25519MLKEM768 in TLS: on a server its encapsulation adds { $extra } to the time of an X25519 agreement.
    .why = Traffic recorded today may be decrypted by a future quantum computer; the hybrid holds as long as either half does. It sends about 1.1 KB more each way. OpenSSL has it from 3.5, and by default.
advice-sign-ed25519 = Sign with Ed25519 (SSH keys, own certificates): { $times } times as many signatures a second as { $loser }. Public TLS certificates take ECDSA P-256.
    .why = A server signs once a handshake. Browsers and public authorities do not take Ed25519 certificates; ECDSA P-256 is the short one they do take.
advice-sign-ecdsa-p256 = Sign with ECDSA P-256 in TLS: { $times } times as many signatures a second as { $loser }. For SSH keys Ed25519 is as good.
    .why = A server signs once a handshake, and P-256 is what public certificates take. An SSH key signs once a login, where the difference does not show; Ed25519 needs no random number for a signature.
advice-rsa-signs-slowly = A server with an RSA certificate spends { $times } times as long on each handshake’s signature as with ECDSA P-256: use a P-256 certificate, and keep RSA beside it only for clients that need it.
    .why = RSA verifies fast and signs slowly; the server signs.

## Advice: The machine

advice-move-to-aarch64 = For the next device, move to AArch64 with the crypto extensions.
    .why = Such CPUs, as in home routers, are slow at every cipher, hash and curve; 64-bit words help the curves and SHA-512, the crypto extensions AES and SHA. Look for “aes pmull sha1 sha2” among the features in /proc/cpuinfo: AArch64 alone does not promise them.
advice-aarch64-without-crypto = This AArch64 CPU works without the crypto extensions: ask for them in the next one.
    .why = The extensions are optional, and the Raspberry Pi 4’s chip, for one, leaves them out; with them AES-GCM is many times as fast. Look for “aes pmull sha1 sha2” among the features in /proc/cpuinfo.
advice-x86-without-aes = This x86 CPU works without AES instructions; every current one has them.
    .why = Even the smallest Intel and AMD CPUs of the last years have AES-NI. A guest without them may only be kept from them: see what the host has.

## Advice: words that fill a gap of the sentences above

advice-word-firmware = the firmware
advice-word-ended-1-1-1 = 11 September 2023
advice-word-ended-1-1-0 = 11 September 2019
advice-word-ended-1-0-2 = 31 December 2019
advice-word-ended-earlier = 2016 or earlier
advice-word-gains-most = it gains most when a newer library or CPU comes
advice-word-leaks-nothing = without AES instructions its software is the one that does not leak through time
advice-word-aes-in-use = AES instructions are in use, which speaks for AES-GCM, but no figure shows it
advice-word-nothing-tells = nothing here tells which is faster
advice-word-open-files = the limit of open files
advice-word-worker-connections = nginx’s worker_connections

## Advice: the figures and observations behind it

# $setting lists what both figures have in common: the size, and the library or the task.
advice-evidence-figure =
    { $is_quoted ->
        [yes] { $task } { $speed } ({ $setting }; quoted)
       *[no] { $task } { $speed } ({ $setting })
    }
advice-evidence-comparison = { $first } { $first_figure }, { $second } { $second_figure }: { $outcome }
advice-evidence-server-cpu = the server’s CPU for a gigabyte: { $second } { $second_figure } s, { $first } { $first_figure } s: { $outcome }
advice-evidence-handshake = the server’s CPU for a handshake: { $second } { $second_figure } µs, { $first } { $first_figure } µs: { $outcome }
advice-evidence-outcome =
    { $is_unlike ->
        [yes] { $times } ({ $interval }; { $setting }; not quite alike: openssl speed sets up the key for each message of one, and streams the other)
       *[no] { $times } ({ $interval }; { $setting })
    }
advice-evidence-times = { $times } times
advice-evidence-interval = 95 %: { $low }–{ $high }
advice-evidence-interval-quoted = no interval: quoted figures
advice-evidence-interval-none = no interval
advice-evidence-limit = { $name } = { $value }: { $connections } connections at once; the highest throughput took { $taken }
advice-evidence-features = the CPU lists: { $features }
advice-evidence-code-path = seen running for { $title }: { $path }
advice-evidence-settings = the library reports { $settings }
advice-evidence-cpu = architecture { $arch }: { $name }
advice-evidence-no-figure = no figure: nothing in this run shows what it costs

## Causes of steps, by their names in documents

steps-cause-compact-tables-below-512 = OpenSSL's AES for x86-64 without the AES instructions (aes-x86_64.pl) does CBC calls of fewer than 512 bytes with small, compact tables, which are slower, and longer ones with the full tables. Where the CPU reports hyper-threading it takes the compact tables at every size, since there a neighbour could watch the cache; such a machine has no jump.
steps-cause-bitsliced-from-128 = Without the AES instructions OpenSSL does AES in counter mode bitsliced (bsaes-x86_64.pl): eight blocks, 128 bytes, at once. Fewer than eight blocks are done one by one with tables; from 128 bytes on everything is done in eights, the rest included.
steps-cause-one-pass-from-288 = OpenSSL's AES-GCM with AES-NI and AVX does encryption and authentication in one pass of six blocks (aesni-gcm-x86_64.pl) from 288 bytes on; shorter messages are done in two passes.
steps-cause-neon-from-192 = OpenSSL's ChaCha20 for AArch64 (chacha-armv8.pl) takes NEON, several blocks at once, from 192 bytes on; shorter messages are done block by block in general registers.
steps-cause-wider-vectors = ChaCha20 does one or two blocks of 64 bytes at a time for short messages, and 4, 8 or 16 at once, one in each lane of the CPU's vector registers, where there are enough of them.

## What a run notes about itself

# The English sentences are also stored in documents: kasoku_model::document::Remark writes the same.
remark-of-level = { $level }: { $remark }
remark-dropped-slices = { $percent } % of the slices were dropped because the thread did not have its core to itself: something else was running on this machine or on its host.
remark-kept-slices = The { $slices } least disturbed slices of { $series } series were kept: too few would be left without them. Differences that rest on them are claimed only if they exceed the disturbance.
remark-restarts = Workers died and were restarted ({ $libraries }); no measurement is missing.
remark-outliers = { $percent } % of the samples lie far from their series' median. They are kept; they hardly affect medians.
remark-interrupted-suites = The suite's threads had { $percent } % of their cores: something else was running on this machine, or the virtual machine collected garbage. Its scores are lower accordingly.
remark-slower-clock = The core clock fell from { $from } to { $to } GHz during the run: heat, or a power limit.
remark-steal = The hypervisor took away { $percent } % of the CPU time (steal).
remark-resumed = The run was interrupted and resumed: { $samples } samples are from before the interruption.
remark-first-limit =
    { $is_published ->
        [yes] the first system limit to be reached would be { $name } = { $value } (published: { $published }), at { $connections } concurrent connections
       *[no] the first system limit to be reached would be { $name } = { $value }, at { $connections } concurrent connections
    }
remark-unknown-code-paths = code paths are unknown: nginx's processes are not inspected; the counter of Kasoku's provider shows whether it did the work (provider_share)

## The final screen: its head

screen-head-label = label { $label }
screen-head-cpus = { $cores ->
        [one] { $cores } CPU
       *[other] { $cores } CPUs
    }
screen-results = { $count ->
        [one] { $count } result
       *[other] { $count } results
    }
screen-results-seconds = { $count ->
        [one] { $count } result in { $seconds } seconds
       *[other] { $count } results in { $seconds } seconds
    }
screen-results-minutes = { $count ->
        [one] { $count } result in { $minutes } minutes
       *[other] { $count } results in { $minutes } minutes
    }
screen-nothing-left-out = Nothing was left out.

## The final screen: what to choose

screen-choices = Choose here
screen-choice-transport = TLS, SSH, VPN
screen-choice-key-agreement = key agreement
screen-choice-certificate = certificate
screen-choice-hash = hash
screen-choice-java = Java
screen-choice-faster = { $chosen }, { $times }× { $other }
screen-choice-slower = { $chosen }, though { $other } is { $times }× as fast
screen-choice-equal = { $chosen }; no difference from { $other } is shown

## The final screen: how quiet the machine was

# A sentence of screen-quality-safe-… goes into the ones behind it as $safe, without its full stop.
screen-quality-quiet = QUIET
screen-quality-fair = FAIR
screen-quality-noisy = NOISY
screen-quality-safe-times = Ratios of { $times } and more are safe to believe where no ~ stands
screen-quality-safe-percent = Differences of { $percent } % and more are safe to believe where no ~ stands
screen-quality-share = { $share } % of { $level }
screen-quality-counted = { $count ->
        [one] counted in { $count } result
       *[other] counted in { $count } results
    }
screen-quality-quiet-meaning = At most 1 % of the slices were disturbed. { $safe }.
screen-quality-fair-meaning = Disturbed slices: { $shares }. { $safe }.
screen-quality-noisy-meaning = Disturbed slices: { $shares }. { $safe }; repeat on a quiet machine to publish.

## The final screen: its foot

screen-rest-not-measured = Not measured
screen-rest-failed = Failed
screen-rest-failure = { $what }: { $kind }: { $reason }
screen-rest-restarted = Restarted
screen-rest-next = Next
screen-rest-failed-more = { $failure } and { $others } more
screen-rest-advise = kasoku advise   lines to paste for nginx, SSH, VPNs, disks, Java
screen-rest-show = kasoku show { $run }   --full for every figure
screen-rest-show-left-out = kasoku show { $run }   --full for every figure · { $count } left out: --left-out

## The final screen: what the CPU’s instructions are worth

screen-worth-title = What the CPU’s instructions are worth ({ $library }, { $size }, one core)
screen-worth-off = off
screen-worth-on = on
screen-worth-equal = { $equal }: no difference shown

## The final screen: the libraries

screen-libraries-title = AES-128-GCM by library, GB/s
screen-libraries-unshown = ~ no difference shown between the best and at least one other
screen-libraries-packet = QUIC packet, { $size }
# The row is indented: it belongs to the one above.
screen-libraries-share = {"  "}of the { $allowed } this CPU allows
screen-libraries-transfer = QUIC end to end, CPU s/GB
screen-libraries-file = { $size } file, AES-256-GCM, ms

## Published figures

reproduction-range = { $from }–{ $to }

## What a run shows: the whole run, and the primitives

claim-emulated = An emulator did the work: no figure of this run says anything about a CPU; nothing is ranked.
claim-under-wine = Wine stood in for Windows: no figure of this run says anything about Windows; nothing is ranked.
claim-incomplete = This run did not reach its end: nothing in it is ranked, and its libraries are not compared.
claim-quoted =
    { $kind ->
        [published] These are published figures: without intervals, no difference between them is claimed.
       *[transcript] These figures were printed by another program: without intervals, no difference between them is claimed.
    }
claim-nothing-ranked = Nothing in this run is both measured and verified: nothing is ranked.
# The instructions that acceleration off takes away.
claim-instructions = { $instructions ->
        [aes] AES instructions
        [aes-and-clmul] AES and carry-less multiplication instructions
        [aes-and-sha] AES and SHA instructions
       *[sha] SHA instructions
    }
# The acceleration state that a sentence is about, at its beginning.
claim-in-state = { $state ->
        [on] With acceleration on,
        [off] With acceleration off,
       *[other] With { $state },
    }
claim-accelerated = { $algorithm } is { $times } times as fast with the { claim-instructions } ({ $size }, { $library }).
    .short = { $algorithm } { $times } times
claim-hindered = { $algorithm } is { $times } times as fast without the { claim-instructions } ({ $size }, { $library }).
claim-no-gain = { $algorithm } shows no difference with the { claim-instructions } on or off ({ $size }, { $library }).
claim-aes-beats-blowfish = { $even_without ->
        [yes] Blowfish is never the fast choice here: { $algorithm } is at least { $times } times as fast at every size, even without the AES instructions ({ $library }).
       *[no] With acceleration on, { $algorithm } is at least { $times } times as fast as Blowfish at every size ({ $library }).
    }
claim-blowfish-beats-aes = { $without ->
        [yes] Without the AES instructions, Blowfish is { $times } times as fast as { $algorithm } ({ $size }, { $library }).
       *[no] Blowfish is { $times } times as fast as { $algorithm } ({ $size }, { $library }).
    }
claim-faster-aead = { claim-in-state } { $algorithm } is the faster AEAD: { $times } times as fast as { $other } ({ $size }, { $library }).
claim-faster-aead-with-exceptions = { claim-in-state } { $algorithm } is the faster AEAD: { $times } times as fast as { $other } ({ $size }, { $library }; reversed at { $exceptions }).
claim-equal-aeads = { claim-in-state } no difference is shown between { $algorithm } and { $other } ({ $size }, { $library }).
claim-fastest-hash = { $algorithm } is the fastest hash: { $times } times as fast as { $other }, the next ({ $size }, { $library }; SHA-1 left aside).
claim-fastest-hashes = { $hashes } are the fastest hashes: none is shown to be slower than the first ({ $size }, { $library }; SHA-1 left aside).
claim-fastest-library = The fastest library for { $algorithm } is { $library }: { $times } times as fast as { $next }, the next ({ $size }).
claim-fastest-libraries = The fastest libraries for { $algorithm } are { $libraries }: none is shown to be slower than the first ({ $size }).
claim-headline-gains = With this CPU’s instructions: { $gains } as fast ({ $size }, { $library }).
claim-headline-hindered = This CPU’s cryptographic instructions make nothing faster here.
claim-headline-no-gain = No difference is shown between acceleration on and off on this machine.
claim-headline-not-switched = Acceleration was not switched off in this run, so what it is worth cannot be said.
