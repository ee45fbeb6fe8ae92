import { type CommandMaker, JSON_OPTION } from '../command-maker.ts'
import type { RawVerifyOptions } from './run-verify-receipt.ts'

/** `farebox verify-receipt <file>`: checks a platform's signature of a job, without a request. */
export const verifyReceiptCommand: CommandMaker = (command, world, end) =>
  command
    .summary("a job's receipt checked, offline")
    .description('Check the receipt of a job against the keys of the platform that signed it.')
    .argument('<file>', 'the receipt; - for standard input')
    .option('--keys <file or url>', "the platform's jwks.json: a file, or the https URL that serves it")
    .option(
      '--issuer <url>',
      "the platform's URL, which the receipt must name; default: where --keys was asked for",
    )
    .option('--input <file>', 'JSON; must be the input that was paid for')
    .option('--output <file>', 'JSON; must be the output that came back')
    .option('--job <job_id>', 'must be the job that was paid for')
    .option(...JSON_OPTION)
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, options: RawVerifyOptions) =>
      end(await (await import('./run-verify-receipt.ts')).runVerifyReceipt(world, file, options)),
    )

const EXAMPLES = `
A platform serves its keys at /.well-known/jwks.json; kept as a file, they check receipts without a network.
That the transfer happened, the chain tells: the transaction is in the receipt.

Exit codes
  0  valid, and all that was compared fits      1  it is not
  2  the command was not understood

Examples
  curl -so jwks.json https://platform.example/.well-known/jwks.json
  farebox verify-receipt receipt.jws --keys jwks.json
  farebox verify-receipt receipt.jws --keys jwks.json --output answer.json
`
