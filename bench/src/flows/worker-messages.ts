/** What a worker process is told by the bench. */
export type Told = 'go' | 'rest' | 'stop'

/** What it answers: that it can begin, that it rests, and that it has ended. */
export type Answered = 'ready' | 'resting' | 'stopped'

/** What a worker program does. */
export interface Work {
  /** Takes runs from now on. */
  begin(): Promise<void>
  /** Takes none until it begins again. */
  rest(): Promise<void>
  /** Ends after it has rested. */
  stop(): Promise<unknown>
}

/** Lets a worker program begin, rest and end when the bench says so. */
export async function workWhenTold(work: Work): Promise<void> {
  const answer = (text: Answered): void => void process.send?.(text)
  process.on('message', (told: Told) => {
    const act = async (): Promise<void> => {
      if (told === 'go') return await work.begin()
      await work.rest()
      if (told === 'rest') return answer('resting')
      await work.stop()
      answer('stopped')
      process.disconnect()
    }
    act().catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
      process.exit(1)
    })
  })
  answer('ready')
}
