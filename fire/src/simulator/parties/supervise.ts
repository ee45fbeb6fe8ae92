import type { World } from '../build-world.ts'
import type { Random } from '../seeded-random.ts'
import { startProcess, type VirtualProcess } from '../time/virtual-process.ts'
import type { Callee } from '../wires/exchange.ts'

export interface Program<Request, Answer> {
  serve(request: Request): Promise<Answer>
  /** Stops gracefully; it serves until that resolves. */
  stop(): Promise<void>
}

/** A program that is restarted when it dies. */
export type Supervised<Request, Answer> = ReturnType<typeof supervise<Request, Answer>>

/** A process's name as part of a URL. */
export function hostName({ name }: VirtualProcess): string {
  return name.toLowerCase().replace('#', '-')
}

const RESTART_WITHIN_MS = 12_000
const RETRY_MS = 1_000

/** Keeps a program running. `start` resolves when it serves; if it rejects, the start is repeated. */
export function supervise<Request, Answer>(
  { wires, processes }: World,
  name: string,
  random: Random,
  start: (process: VirtualProcess) => Promise<Program<Request, Answer>>,
) {
  const { time, trace, faults } = wires
  const usualSkewMs = random.between(-faults.plan.amount.skew, faults.plan.amount.skew)
  if (usualSkewMs !== 0) faults.happened('clocks of programs wrong')
  let skewMs = usualSkewMs
  let incarnation = 0
  let running: VirtualProcess | undefined
  let serving: (Callee<Request, Answer> & Pick<Program<Request, Answer>, 'stop'>) | undefined

  const begin = (): void => {
    incarnation += 1
    const process = startProcess(time, `${name}#${incarnation}`, skewMs)
    running = process
    processes.set(hostName(process), process)
    const again = (afterMs: number): void => {
      time.after(afterMs, () => {
        if (running === process) begin()
      })
    }
    process.onDeath(() => {
      serving = undefined
      processes.delete(hostName(process))
      again(faults.isCalm ? 0 : random.between(0, RESTART_WITHIN_MS))
    })
    start(process).then(
      program => {
        if (!process.isAlive) return
        trace.note(process.name, () => 'serves')
        serving = { process, ...program }
      },
      (error: unknown) => {
        trace.note(process.name, () => `does not start: ${error instanceof Error ? error.message : ''}`)
        again(RETRY_MS)
      },
    )
  }
  begin()
  const setClock = (byMs: number): void => {
    skewMs += byMs
    running?.setClock(byMs)
    trace.note(name, () => `its clock is set by ${byMs} ms`)
  }
  return {
    /** The serving instance; undefined while there is none. */
    serving: (): Callee<Request, Answer> | undefined => serving,
    restart(): void {
      const process = running
      running = undefined
      serving = undefined
      process?.crash()
      begin()
    },
    /** Stops it gracefully, as a deployment does, and starts it again. */
    stop(): void {
      if (serving === undefined) return
      const { process, stop } = serving
      trace.note(process.name, () => 'is to stop')
      const stopped = (): void => {
        trace.note(process.name, () => 'has stopped')
        process.crash()
      }
      stop().then(stopped, stopped)
    },
    /** Steps the clock of its machine by this much, also for later processes there. */
    setClock,
    setClockRight(): void {
      if (skewMs !== usualSkewMs) setClock(usualSkewMs - skewMs)
    },
  }
}
