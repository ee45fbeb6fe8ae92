import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { type DevCommand, readDevReport, type Report } from '../messages/messages.ts'

export interface DevAgentProcess {
  send(command: DevCommand): void
  onReport(listen: (report: Report) => void): void
  /** Resolves when the process has ended. */
  readonly ended: Promise<ExitStatus>
  /** Stops assigning connections to it, whether or not it responds to commands. */
  cutOff(): void
  readonly isCutOff: boolean
  /** Ends it at once. */
  kill(): void
}

export interface ExitStatus {
  readonly code: number | null
  readonly signal: string | null
}

export interface AgentProcesses {
  start(): DevAgentProcess
}

/** The program of an agent process, built or not, as this file is. */
const AGENT_PROCESS = fileURLToPath(
  import.meta.url.replace(/supervise\/agent-processes(?=\.[jt]s$)/, 'agent/agent-program'),
)

/**
 * Agent processes share their listening port (`node:cluster`): a new one listens before the old one stops, so that no
 * connection in between is refused. They end with this process, however it ends.
 *
 * @param tellLine receives each line that one of them writes
 */
export function createAgentProcesses(
  folder: string,
  tellLine: (line: string, from: 'out' | 'err') => void,
): AgentProcesses {
  // This process assigns connections one by one, so that none is lost with a process that is leaving.
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({
    exec: AGENT_PROCESS,
    args: [],
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const running = new Set<Worker>()
  // A process that is blocked by a handler does not notice that its parent has ended.
  process.on('exit', () => {
    for (const worker of running) worker.process.kill('SIGKILL')
  })
  return {
    start() {
      const worker = cluster.fork()
      running.add(worker)
      const send = createSender(worker)
      let isCutOff = false
      let listen = (_: Report): void => undefined
      worker.on('message', (message: unknown) => {
        const report = readDevReport(message)
        if (report?.kind === 'up') send.open()
        else if (report !== undefined) listen(report)
      })
      // When a message does not reach the process, its exit is the response.
      worker.on('error', () => undefined)
      tellLines(worker, tellLine)
      const ended = new Promise<ExitStatus>(resolve => {
        worker.process.on('close', (code: number | null, signal: string | null) => {
          running.delete(worker)
          resolve({ code, signal })
        })
      })
      return {
        send: send.send,
        onReport: next => {
          listen = next
        },
        ended,
        cutOff() {
          if (!isCutOff) worker.disconnect()
          isCutOff = true
        },
        get isCutOff() {
          return isCutOff
        },
        kill: () => worker.process.kill('SIGKILL'),
      }
    },
  }
}

function createSender(worker: Worker): { send(command: DevCommand): void; open(): void } {
  let waiting: DevCommand[] | undefined = []
  const send = (command: DevCommand): void => {
    if (waiting !== undefined) waiting.push(command)
    else if (worker.isConnected()) worker.send(command, undefined, () => undefined)
  }
  return {
    send,
    open() {
      const kept = waiting ?? []
      waiting = undefined
      for (const command of kept) send(command)
    },
  }
}

function tellLines({ process: child }: Worker, tellLine: (line: string, from: 'out' | 'err') => void): void {
  for (const [stream, from] of [[child.stdout, 'out'] as const, [child.stderr, 'err'] as const]) {
    const take = splitLines(line => tellLine(line, from))
    stream?.setEncoding('utf8')
    stream?.on('data', take)
    stream?.on('end', () => take(undefined))
  }
}

/**
 * Assembles whole lines from the chunks of a stream, so that the output of several processes does not mix within a line.
 *
 * @returns a function that receives a chunk; `undefined` means that the stream has ended
 */
export function splitLines(tell: (line: string) => void): (piece: string | undefined) => void {
  let rest = ''
  return piece => {
    if (piece === undefined) {
      if (rest !== '') tell(rest)
      rest = ''
      return
    }
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) tell(line.replace(/\r$/, ''))
  }
}
