import type { RunProgress } from '@farebox/platform-api/flows/runs'
import { printable } from '../../terminal/printable.ts'

/** What somebody can do about a run now, a command a line. Empty where nobody need do anything. */
export function nextFor({ run_id: runId, status, waiting }: RunProgress): readonly string[] {
  const id = runId.slice(0, 8)
  if (status === 'paused') return [`farebox flow resume ${id} goes on with it`]
  if (status === 'running') return [`farebox flow resume ${id} follows it`]
  if (status !== 'waiting') return []
  const asked = waiting.flatMap(one => (one.for === 'person' ? [one.step] : []))
  const answers = asked.map(step => `farebox flow answer ${id} ${printable(step)} --approve, or --decline`)
  if (waiting.some(one => one.for === 'retry'))
    return [...answers, `farebox flow resume ${id} asks for what failed again`]
  if (waiting.some(one => one.for === 'payment'))
    return [...answers, `farebox flow resume ${id} signs what it asks for`]
  return answers
}
