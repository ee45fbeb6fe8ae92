import type { World } from '../../world.ts'
import type { Announcer } from './announcer.ts'

/** The same as one JSON object a line, as the agent's log has it with `SERVICE_LOG=json`. */
export function announceAsJson({ out, err }: World): Announcer {
  const say = (level: 'info' | 'warn', event: string, fields: object): void =>
    out.write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`)
  return {
    serving({ name, url, mode, sampled, page }) {
      say('info', 'listening', { name, url, mode, ...(page !== undefined && { page }) })
      if (sampled.length > 0)
        say('warn', 'answers are samples, there are no handlers', { capabilities: sampled })
    },
    restarted: ({ files, tookMs }) => say('info', 'restarted', { changed: files, ms: tookMs }),
    refused: (reason, stillServing) => say('warn', 'not served', { reason, stillServing }),
    trouble: (reason, next) => say('warn', 'trouble', { reason, next }),
    types: problems =>
      problems.length === 0
        ? say('info', 'types ok', {})
        : say('warn', 'type errors', { problems: problems.map(one => ({ ...one })) }),
    line: (line, from) => (from === 'out' ? out : err).write(`${line}\n`),
    // The events it is made of are in the log already.
    trace: () => undefined,
    note: text => say('info', text, {}),
  }
}
