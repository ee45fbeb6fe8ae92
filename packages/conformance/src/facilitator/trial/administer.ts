import { randomUUID } from 'node:crypto'
import { trialSignal, type SubjectRequest, type Subject } from './subject.ts'

/** A trial of a facilitator whose secrets can be administered, or the part of one that it takes. */
export interface Administered {
  readonly subject: Pick<Subject, 'url' | 'adminToken' | 'signal'>
}

const ANSWER_MS = 10_000

/** A secret, as it is sent. */
export const bearer = (secret: string): SubjectRequest => ({ authorization: `Bearer ${secret}` })

/** A secret of an owner of its own. Rejects where none was made. */
export async function makeTrialSecret(
  trial: Administered,
  wallets: readonly string[],
): Promise<{ readonly id: string; readonly secret: string; readonly owner: string }> {
  const owner = `rules ${randomUUID()}`
  const { text } = await administer(trial, 'POST', '/secrets', { owner, wallets })
  const made = JSON.parse(text) as { id: string; secret: string }
  return { ...made, owner }
}

/** Asks the administration of secrets. Rejects where nothing answers within 10 s, and once the trial's signal aborts. */
export async function administer(
  { subject }: Administered,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(subject.url + path, {
    method,
    headers: { authorization: `Bearer ${subject.adminToken ?? ''}` },
    ...(body && { body: JSON.stringify(body) }),
    signal: trialSignal(subject, ANSWER_MS),
  })
  return { status: answer.status, text: await answer.text() }
}
