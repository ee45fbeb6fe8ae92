/** `farebox-conformance --help` */
export const HELP = `Puts the rules of the interface to a running agent, or the rules of x402 settlement to a running facilitator.

  farebox-conformance agent <url> [options]
  farebox-conformance facilitator <url> [options]

  --help behind a command tells its options.

Exit codes
  0  it conforms to every rule that was put
  1  it breaks a rule
  2  nothing was found out: nobody answers, or what answers is something else
`

/** `farebox-conformance agent --help` */
export const AGENT_HELP = `Puts the rules of the interface to a running agent, whatever it is made with.

  farebox-conformance agent <url> [options]

  --only <areas>      these areas or checks alone, separated by commas: health,about/wallet
  --max-price <usdc>  pay for jobs, up to so much each; without it no payment is signed that could be good
  --key-file <file>   the key that pays, 0x and 64 hex digits; or FAREBOX_PRIVATE_KEY
  --local <folder>    pay with the test wallet of the local economy that keeps its files there; or FAREBOX_LOCAL
  --max-jobs <n>      the most payments that are signed (default: 5); a well-behaved agent charges for one
  --network <id>      pay on this chain alone, like eip155:8453
  --timeout <seconds> how long a check waits for answers, jobs aside (default: 15)
  --verbose           checks that were skipped, too
  --json              one JSON document

An agent in dev mode is free: there jobs run, with sample inputs. Rules that can be seen only inside an agent (its log,
its clock, its payment gate) are skipped; its own tests put them with startRun({ known }) of @farebox/conformance/agent.

Exit codes
  0  no rule is broken    1  a rule is broken    2  nothing was found out

Examples
  farebox-conformance agent http://localhost:8080
  farebox-conformance agent https://agent.example --max-price 0.01 --key-file ./key --json
`

/** `farebox-conformance facilitator --help` */
export const FACILITATOR_HELP = `Puts the rules of x402 settlement to a running facilitator, and judges it by its answers and by the chain.

  farebox-conformance facilitator <url> [options]

  --rpc-url <url>     a node of the local chain that it settles on
  --local <folder>    the chain of the local economy that keeps its files there, with its facilitator's
                      administration; or FAREBOX_LOCAL
  --secret-file <file>  its secret, where it wants one: it must take payments to both wallets
  --admin-token-file <file>  opens the administration of its secrets; makes a secret where none is given
  --pay-to <a>,<b>    the wallets that are paid; default: two accounts of the local chain
  --only <text>       cases whose id begins so: SR1, SR4-07
  --verbose           cases that were skipped, too
  --json              one JSON document

The chain must be a local one for which the kit can sign: anvil, with LocalUSDC of @farebox/contracts in the place of
USDC. The cases mint, pause and freeze there and replace code: use a chain on which nobody else works.

Exit codes
  0  no rule is broken    1  a rule is broken    2  nothing was found out

Examples
  farebox-conformance facilitator http://127.0.0.1:4010 --rpc-url http://127.0.0.1:8545 --secret-file ./secret
  farebox-conformance facilitator http://127.0.0.1:4010 --local .farebox --only SR1
`
