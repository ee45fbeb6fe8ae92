import type { Evidence, Violation } from './verdict.ts'

/** In the end everything is known: nothing is pending, and every answer was one of the documented ones. */
export function* everythingEnds({ world, probes, unresolved }: Evidence): Iterable<Violation> {
  for (const { send, status, text } of probes) {
    if (status === 503) yield { invariant: 'END', message: `${send.job} is still answered 503 ${text}` }
  }
  for (const jobKey of unresolved) yield { invariant: 'END', message: `nobody settled ${jobKey}` }
  for (const { status, text, agent } of world.said.oddAnswers)
    yield { invariant: 'TABLE', message: `${agent} answered ${status} ${text}` }
  for (const deed of world.said.oddDeeds) yield { invariant: 'NONCE', message: deed }
}
