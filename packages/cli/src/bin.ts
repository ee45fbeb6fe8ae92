import { EXIT } from './command-error.ts'
import { runCli } from './run-cli.ts'

let isOutputLost = false
process.stdout.on('error', noteLoss)

const code = await runCli(process.argv.slice(2))
// `start` runs handlers in this process, and their open timers or sockets must not keep the finished command running.
process.stdout.write('', error => {
  noteLoss(error)
  process.exit(isOutputLost && code === EXIT.done ? EXIT.refused : code)
})

/** A reader that closes the pipe early is not a failure; a full disk is one. */
function noteLoss(error: NodeJS.ErrnoException | null | undefined): void {
  if (error && error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') isOutputLost = true
}
