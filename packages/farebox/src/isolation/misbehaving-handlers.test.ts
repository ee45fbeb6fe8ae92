import { randomUUID } from 'node:crypto'
import { systemClock } from '@farebox/protocol/time/clock'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { stageAgent, type Stage } from '../execute/paid-stage.test-setup.ts'
import { stageDeclaration } from '../execute/staged-payment.test-setup.ts'
import type { Answered } from '../execute/staged-request.test-setup.ts'

// Each handler harms only its own job, which gets the right answer and is not charged; a concurrent job is served
// normally.

/** A deadline for tests that are not about time: a slow machine takes minutes to use up the memory of a process. */
const AMPLE_SECONDS = 900

const SMALL_MEMORY = 512 * 2 ** 20

const HANDLERS = new URL('./misbehaving-handlers.child.ts', import.meta.url)

let stage: Stage
beforeAll(async () => {
  // Limits as on a small machine, which are reached soon.
  vi.spyOn(process, 'constrainedMemory').mockReturnValue(SMALL_MEMORY)
  // Real time, because processes have no fake clock.
  const clock = { ...systemClock, advance: () => Promise.resolve(), waiting: () => 0 }
  const declaration = { ...stageDeclaration, max_deadline_seconds: AMPLE_SECONDS }
  stage = await stageAgent({ clock, isolated: HANDLERS, declaration })
})
afterAll(async () => {
  await stage.agent.close()
  vi.restoreAllMocks()
})

interface HandlerAnswer extends Answered {
  readonly jobId: string
  readonly log: string
  readonly isCharged: boolean
}

/** Runs a job of this kind, and returns its answer with its log lines. */
async function ask(
  text: string,
  seconds = AMPLE_SECONDS,
  jobId: string = randomUUID(),
): Promise<HandlerAnswer> {
  const deadline = Math.floor(Date.now() / 1_000) + seconds
  const payment = await stage.sign({ jobId, validBefore: deadline + 60 })
  const answer = await stage.post({ jobId, input: { text }, deadline, payment })
  return { ...answer, jobId, log: logOf(jobId), isCharged: isCharged(payment) }
}

function logOf(jobId: string): string {
  return stage
    .logs()
    .filter(line => line.includes(jobId))
    .join('\n')
}

/** The handler did not run: on a busy machine no process was free before the deadline. */
const NOT_RUN = /its time ended before a process was free/

/**
 * Runs a job whose handler outlives its deadline, until a log line matches. The deadline is short at first, and doubled
 * until the handler started before it.
 */
async function passDeadline(text: string, line: RegExp): Promise<HandlerAnswer> {
  for (let seconds = 2; ; seconds *= 2) {
    const answer = await ask(text, seconds)
    const end = await logged(new RegExp(`${line.source}|${NOT_RUN.source}`), answer.jobId)
    if (!NOT_RUN.test(end)) return answer
  }
}

/** Whether the gate has charged this payment, whose key ends with the nonce. */
function isCharged(header: string): boolean {
  const { payload } = JSON.parse(Buffer.from(header, 'base64').toString()) as {
    readonly payload: { readonly authorization: { readonly nonce: string } }
  }
  return [...stage.gate.charged].some(key => key.includes(payload.authorization.nonce.toLowerCase()))
}

/** Waits for a log line: the end of a handler may be logged after its caller was answered. */
async function logged(pattern: RegExp, jobId = ''): Promise<string> {
  for (;;) {
    const line = stage.logs().find(one => one.includes(jobId) && pattern.test(one))
    if (line !== undefined) return line
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

async function neighbour(): Promise<void> {
  expect((await ask('tame for a while')).json).toMatchObject({ output: { text: 'tame' } })
}

describe.each([
  ['exits', /handler error: its process ended \(exit code 3\)/],
  ['aborts', /handler error: its process ended \(SIGABRT\)/],
  ['kills itself', /handler error: its process ended \(SIGKILL\)/],
  ['disconnects', /handler error: its process ended|closed the channel/],
  ['many objects', /handler error: it ran out of memory/],
  ['large arrays', /handler error: it ran out of memory/],
  ['one huge array', /handler error: it ran out of memory/],
  ['a growing set', /handler error: (?:it ran out of memory|Set maximum size exceeded)/],
  ['buffers', /handler error: it held more than \d+ MB of memory/],
  ['a stray timer', /handler error: stray/],
  ['a stray rejection', /handler error: nobody hears/],
  ['sends for ever', /handler error: it sent more messages than an agent can take/],
  ['a proxy', /handler error: do not touch/],
  ['a function', /warning: output refused: text: must be a string, got a function/],
  ['a class instance', /warning: output refused: output: must be a plain object, got/],
  ['a huge output', /warning: output refused: output: must be at most 5242880 bytes of JSON, got/],
  ['a getter that ends', /handler error: its process ended \(exit code 4\)/],
  ['throws a proxy', /handler error: something that cannot be read/],
  ['a plain error', /handler error: secret reason/],
])('%s', (text, line) => {
  test('is answered 500 Internal error, not charged, with the reason in the log; a concurrent job is served', async () => {
    const [answer] = await Promise.all([ask(text), neighbour()])
    expect(answer).toMatchObject({ status: 500, json: { error: 'Internal error' }, isCharged: false })
    expect(answer.log).toMatch(line)
  })
})

describe.each([
  ['blocks for ever', /did not stop when its time was over/],
  ['never returns', /did not stop when its time was over/],
  ['waits in a command', /did not stop when its time was over/],
  ['blocks until late', /refused/],
  ['returns late', /refused/],
  ['heeds its signal', /handler error: heard DeadlineError/],
  ['an abort listener', /handler error: thrown in a listener/],
])('%s', (text, line) => {
  test('DDL-02 is answered 408 at its deadline, not charged, and its handler is ended', async () => {
    const [answer] = await Promise.all([passDeadline(text, line), neighbour()])
    expect(answer).toMatchObject({ status: 408, json: { error_type: 'deadline' }, isCharged: false })
  })
})

test('DDL-02 of two handlers that never return, the one with the earlier deadline is answered first', async () => {
  const answered: number[] = []
  const note = async (seconds: number): Promise<void> => {
    expect((await ask('never returns', seconds)).status).toBe(408)
    answered.push(seconds)
  }
  await Promise.all([note(5), note(2)])
  expect(answered).toEqual([2, 5])
})

describe('work left behind by a job', () => {
  test('a timer that throws after its job does no harm: the job was delivered, later ones use other processes', async () => {
    const answer = await ask('leaves a timer')
    expect(answer).toMatchObject({ status: 200, isCharged: true })
    const others = await Promise.all(Array.from({ length: 6 }, () => ask('tame for a while')))
    expect(others.map(({ status }) => status)).toEqual(Array<number>(6).fill(200))
    expect(await logged(/left behind/)).toMatch(/ after="its end"$/)
  })

  test('a late error is attributed to the job that caused it; the job in that process now continues', async () => {
    const answer = await ask('leaves a rejection')
    const others = await Promise.all(Array.from({ length: 8 }, () => ask('tame for a while')))
    expect(others.map(({ status }) => status)).toEqual(Array<number>(8).fill(200))
    expect(await logged(/left unseen/)).toContain(answer.jobId)
  })

  test('a thread ends with its process', async () => {
    expect((await ask('leaves a thread')).status).toBe(200)
    await neighbour()
  })
})

describe('values between the processes', () => {
  test('DDL-10 typed errors pass with their answers', async () => {
    expect(await ask('a typed error')).toMatchObject({
      status: 400,
      json: { error_type: 'validation', error: 'text: is not to my liking' },
    })
    expect(await ask('another typed error')).toMatchObject({
      status: 402,
      json: { error_type: 'payment', error: 'too little' },
    })
  })

  test('the context of the job passes', async () => {
    const { json, jobId } = await ask('context')
    const { text } = json['output'] as { readonly text: string }
    const { left, ...context } = JSON.parse(text) as { readonly left: number }
    expect(context).toEqual({
      jobId,
      capability: 'work',
      payer: expect.stringMatching(/^0x[0-9a-f]{40}$/) as unknown,
      deadline: expect.any(Number) as unknown,
    })
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThanOrEqual(AMPLE_SECONDS)
  })

  test('invalid messages on the channel are ignored', async () => {
    expect((await ask('sends rubbish')).status).toBe(200)
  })

  test('log lines pass, up to a thousand', async () => {
    const { log, status } = await ask('says much')
    expect(status).toBe(200)
    expect(log).toContain('line 999 job=')
    expect(log).toContain('more than 1000 lines, the rest is left out')
    expect(log).not.toContain('line 1000 ')
  })

  test('an output of eight hundred million characters that repeats one text is dropped in the handler process', async () => {
    const [answer] = await Promise.all([ask('an output shared'), neighbour()])
    expect(answer).toMatchObject({ status: 200, isCharged: true })
    expect(answer.log).toContain('dropped: more')
  })
})

test('D24 a retry waits until the process of the first run has ended, and then runs', async () => {
  for (let seconds = 2; ; seconds *= 2) {
    const { jobId, status } = await ask('never returns', seconds)
    expect(status).toBe(408)
    const retried = await ask('tame', AMPLE_SECONDS, jobId)
    expect(retried.json).toMatchObject({ status: 'completed', output: { text: 'tame' } })
    if (NOT_RUN.test(retried.log)) continue
    expect(retried.log).toMatch(/did not stop when its time was over[^]*input valid/)
    return
  }
})
