// Runs the cases of h2spec against a server, and tells of each in a line of JSON on standard output: which it is, what it does,
// and what is wrong, if anything. Arguments: host, port and path to ask for, the files of a client certificate and its key, and
// sections, if not all are to be run.
package main

import (
	"encoding/json"
	"os"
	"strconv"
	"time"

	"github.com/summerwind/h2spec/config"
	"github.com/summerwind/h2spec/generic"
	"github.com/summerwind/h2spec/hpack"
	"github.com/summerwind/h2spec/http2"
	"github.com/summerwind/h2spec/spec"
)

type outcome struct {
	Case string `json:"case"`
	Does string `json:"does"`
	// Empty where all is well.
	Wrong string `json:"wrong"`
}

func main() {
	port, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	told := json.NewEncoder(os.Stdout)
	// It prints as it goes along, in colours.
	os.Stdout = os.Stderr
	settings := &config.Config{
		Host:         os.Args[1],
		Port:         port,
		Path:         os.Args[3],
		Timeout:      2 * time.Second,
		MaxHeaderLen: 4000,
		Strict:       true,
		TLS:          true,
		Insecure:     true,
		CertFile:     os.Args[4],
		CertKeyFile:  os.Args[5],
		Sections:     os.Args[6:],
	}
	for _, group := range []*spec.TestGroup{generic.Spec(), http2.Spec(), hpack.Spec()} {
		group.Test(settings)
		tell(told, group)
	}
}

func tell(told *json.Encoder, group *spec.TestGroup) {
	for i, test := range append(group.Tests, group.StrictTests...) {
		if test.Result == nil {
			continue
		}
		one := outcome{Case: group.ID() + "/" + strconv.Itoa(i+1), Does: test.Desc}
		if err := test.Result.Error; err != nil {
			one.Wrong = err.Error()
		}
		if err := told.Encode(one); err != nil {
			panic(err)
		}
	}
	for _, inner := range group.Groups {
		tell(told, inner)
	}
}
