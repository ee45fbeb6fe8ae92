import { EXIT } from './command-error.ts'
import { runCli } from './run-cli.ts'

let isOutputLost = false
process.stdout.on('error', noteLoss)

const code = await runCli(process.argv.slice(2))
// `start` runs handlers here, and what they leave behind must not keep a command that is done.
process.stdout.write('', error => {
  noteLoss(error)
  process.exit(isOutputLost && code === EXIT.done ? EXIT.refused : code)
})

/** A reader that has seen enough and went is no failure; a disk that is full is one. */
function noteLoss(error: NodeJS.ErrnoException | null | undefined): void {
  if (error && error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') isOutputLost = true
}
