import type { ProcessKind } from '../faults/faults.ts'
import type { Random } from '../seeded-random.ts'
import { startProcess, type VirtualProcess } from '../time/virtual-process.ts'
import type { Callee, Wires } from '../wires/exchange.ts'

/** A program that runs in a process. */
export interface Program<Request, Answer> {
  serve(request: Request): Promise<Answer>
  /** Stops in good order; it serves until that resolves. */
  stop(): Promise<void>
}

/** A program that is started again when it dies. */
export interface Supervised<Request, Answer> {
  readonly name: string
  readonly kind: ProcessKind
  /** The one that serves now; undefined while none does. */
  serving(): Callee<Request, Answer> | undefined
  /** Ends what runs, and starts it anew. */
  restart(): void
  /** Has it stop in good order, as a deployment does; then it is started anew. */
  stop(): void
  /** Sets the clock of its machine, so much later or earlier, for all that run there afterwards too. */
  setClock(byMs: number): void
  /** Takes back all that was set. */
  setClockRight(): void
}

/** What is supervised, and with what. */
export interface SupervisedProgram<Request, Answer> {
  readonly name: string
  readonly kind: ProcessKind
  readonly wires: Wires
  readonly random: Random
  /** By {@link hostName}, for those who know a process by a URL. */
  readonly processes: Map<string, VirtualProcess>
  /** Resolves when it serves; a rejection is a start that failed, and is tried again. */
  start(process: VirtualProcess): Promise<Program<Request, Answer>>
}

/** A process's name as part of a URL. */
export function hostName({ name }: VirtualProcess): string {
  return name.toLowerCase().replace('#', '-')
}

const RESTART_WITHIN_MS = 12_000
const RETRY_MS = 1_000

/** Starts a program, and keeps it started. */
export function supervise<Request, Answer>(
  program: SupervisedProgram<Request, Answer>,
): Supervised<Request, Answer> {
  const { name, wires, random } = program
  const { time, trace, faults } = wires
  const usualSkewMs = random.between(-faults.plan.amount.skew, faults.plan.amount.skew)
  if (usualSkewMs !== 0) faults.happened('clocks of programs wrong')
  let skewMs = usualSkewMs
  let incarnation = 0
  let running: VirtualProcess | undefined
  let serving: Callee<Request, Answer> | undefined
  let stop: (() => Promise<void>) | undefined

  const start = (): void => {
    incarnation += 1
    const process = startProcess(time, { name: `${name}#${incarnation}`, skewMs })
    running = process
    program.processes.set(hostName(process), process)
    const again = (afterMs: number): void => {
      time.after(afterMs, () => {
        if (running === process) start()
      })
    }
    process.onDeath(() => {
      serving = undefined
      program.processes.delete(hostName(process))
      again(faults.isCalm ? 0 : random.between(0, RESTART_WITHIN_MS))
    })
    program.start(process).then(
      started => {
        if (!process.isAlive) return
        trace.note(process.name, () => 'serves')
        serving = { process, serve: started.serve }
        stop = started.stop
      },
      (error: unknown) => {
        trace.note(process.name, () => `does not start: ${error instanceof Error ? error.message : ''}`)
        again(RETRY_MS)
      },
    )
  }
  start()
  const setClock = (byMs: number): void => {
    skewMs += byMs
    running?.setClock(byMs)
    trace.note(name, () => `its clock is set by ${byMs} ms`)
  }
  return {
    name,
    kind: program.kind,
    serving: () => serving,
    restart() {
      const process = running
      running = undefined
      serving = undefined
      process?.crash()
      start()
    },
    stop() {
      const process = serving?.process
      if (process === undefined || stop === undefined) return
      trace.note(process.name, () => 'is to stop')
      const stopped = (): void => {
        trace.note(process.name, () => 'has stopped')
        process.crash()
      }
      stop().then(stopped, stopped)
    },
    setClock,
    setClockRight() {
      if (skewMs !== usualSkewMs) setClock(usualSkewMs - skewMs)
    },
  }
}
