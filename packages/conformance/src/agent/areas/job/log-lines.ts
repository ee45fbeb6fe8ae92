import { randomUUID } from 'node:crypto'
import { needsFixture, type Check, type Needs } from '../../check/check.ts'
import { NotApplicable } from '../../exchange/verdicts.ts'
import type { CheckContext } from '../../check/context.ts'
import { expectCompleted, expectEqual, expectThat } from '../../exchange/expectations.ts'
import { HANDLER_SECRET } from '../../fixture/fixture-handlers.ts'

/** The lines that the agent logs (interface, Events; D27). */
export const LOG_CHECKS: readonly Check[] = [
  logged(
    'success',
    ['interface Processing 7', 'D27'],
    'A delivered job is logged step by step, in the interface’s words',
    1,
    async (context, lines) => {
      const jobId = randomUUID()
      expectCompleted(await context.runJob({ capability: 'echo', jobId, input: { text: 'a' } }))
      const steps = ofJob(lines(), jobId).map(line =>
        // The agent may log any lines besides those of the interface.
        withoutExtras(line, jobId)
          .replace(/ms=\d+/, 'ms=0')
          .replace(jobId, '<job_id>'),
      )
      expectEqual(
        steps,
        [
          'execute job=<job_id> capability=echo',
          ...(context.mode === 'paid' ? ['payment verified job=<job_id>'] : []),
          'input valid job=<job_id>',
          'output valid ms=0 job=<job_id>',
          'completed job=<job_id>',
        ],
        'the lines',
      )
    },
  ),
  logged(
    'failure',
    ['interface Events', 'D26', 'D27'],
    'A handler’s exception is logged as handler error: <message>',
    0,
    async (context, lines) => {
      const jobId = randomUUID()
      await context.runJob({ capability: 'fail', jobId, input: { kind: 'error' } })
      const found = ofJob(lines(), jobId)
        .filter(line => line.startsWith('handler error: '))
        .map(line => withoutExtras(line, jobId))
      expectEqual(found, [`handler error: ${HANDLER_SECRET} job=${jobId}`], 'the lines')
    },
  ),
  logged('refused input', ['D27'], 'A refused input is never logged as valid', 0, async (context, lines) => {
    const jobId = randomUUID()
    await context.runJob({ capability: 'echo', jobId, input: { text: '' } })
    const steps = ofJob(lines(), jobId)
    expectThat(
      !steps.some(line => line.startsWith('input valid') || line.startsWith('completed')),
      'neither input valid nor completed',
      steps,
    )
  }),
  logged('repeat', ['IDM-13'], 'A repeat is not logged as another payment', 1, async (context, lines) => {
    const jobId = randomUUID()
    const payment = await context.pay(jobId, 'echo')
    const wish = {
      capability: 'echo',
      jobId,
      input: { text: 'a' },
      ...(payment !== undefined && { payment }),
    }
    expectCompleted(await context.runJob(wish))
    expectCompleted(await context.runJob(wish))
    const steps = ofJob(lines(), jobId)
    expectEqual(steps.filter(line => line.startsWith('completed')).length, 1, 'lines of completed')
    expectEqual(
      steps.filter(line => line.startsWith('payment verified')).length,
      context.mode === 'paid' ? 1 : 0,
      'lines of payment verified',
    )
  }),
  logged('one line', ['VAL-09', 'OPS-08'], 'No value can forge a line', 0, async (context, lines) => {
    const before = lines().length
    await context.runJob({ capability: 'fail', input: { kind: 'forger' } })
    const forged = lines()
      .slice(before)
      .filter(line => /^(?:completed|payment verified) job=forged/.test(line))
    expectEqual(forged, [], 'forged lines')
  }),
  logged(
    'secrets',
    ['D27', 'OPS-08'],
    'Payment headers and signatures are never logged',
    1,
    async (context, lines) => {
      const jobId = randomUUID()
      const payment = await context.pay(jobId, 'echo')
      if (payment === undefined) throw new NotApplicable('mode', 'nothing was paid')
      expectCompleted(await context.runJob({ capability: 'echo', jobId, input: { text: 'a' }, payment }))
      const signature = String(/"signature":"(0x[0-9a-f]+)"/.exec(atob(payment))?.[1])
      const leaked = lines().filter(line => line.includes(payment.slice(0, 60)) || line.includes(signature))
      expectEqual(leaked.length, 0, 'lines with the payment')
    },
    ['paid'],
  ),
]

function logged(
  name: string,
  rules: readonly string[],
  title: string,
  jobs: number,
  run: (context: CheckContext, lines: () => readonly string[]) => Promise<void>,
  modes: Needs['modes'] = ['dev', 'paid'],
): Check {
  return {
    id: `log-lines/${name}`,
    rules,
    title,
    fix: 'Write one line an event: the interface’s exact words first, then job=<job_id>, then what you like.',
    needs: needsFixture(jobs, { knows: ['fixture', 'logs'], modes }),
    async run(context) {
      const { logs } = context.known
      if (logs === undefined) throw new NotApplicable('knowledge', 'it needs the agent’s log')
      await run(context, logs)
    },
  }
}

/** Returns the lines of a job; a line counts only when it names its job. */
function ofJob(lines: readonly string[], jobId: string): readonly string[] {
  return lines.filter(line => line.includes(`job=${jobId}`))
}

/** Cuts the line after its job when other fields follow; in `execute` the capability follows. */
function withoutExtras(line: string, jobId: string): string {
  const end = line.indexOf(`job=${jobId}`) + `job=${jobId}`.length
  const capability = line.startsWith('execute ') ? / capability=\S+/.exec(line.slice(end))?.[0] : undefined
  return line.slice(0, end) + (capability ?? '')
}
