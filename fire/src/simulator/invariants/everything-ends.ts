import { capabilityOf, type Send } from '../records/send-records.ts'
import { SPENDING } from '../workload/cast.ts'
import type { Evidence, Violation } from './verdict.ts'

/** In the end everything is known: nothing is pending, and every answer was one of the documented ones. */
export function* everythingEnds({ world, probes, unresolved }: Evidence): Iterable<Violation> {
  for (const { send, status, text } of probes) {
    if (status === 503 && !isNotPermitted(send, text))
      yield { invariant: 'END', message: `${send.job} is still answered 503 ${text}` }
  }
  for (const jobKey of unresolved) yield { invariant: 'END', message: `nobody settled ${jobKey}` }
  for (const { status, text, agent } of world.said.oddAnswers)
    yield { invariant: 'TABLE', message: `${agent} answered ${status} ${text}` }
  for (const deed of world.said.oddDeeds) yield { invariant: 'NONCE', message: deed }
}

/** A charged job whose record was lost is run again until its charge is too old; it cannot end while its payer permits too little. */
function isNotPermitted({ body }: Send, text: string): boolean {
  return capabilityOf(body) === SPENDING && text.includes('its job is run again')
}
