import type { Behaviour } from './behaviour.ts'
import { returnedValues } from './returned-values.ts'
import { thrownValues } from './thrown-values.ts'
import { timedBehaviours } from './timed-behaviours.ts'

/** Everything a handler may do, by name. */
export const BEHAVIOURS: { readonly [name: string]: Behaviour } = {
  ...returnedValues(),
  ...thrownValues(),
  ...timedBehaviours(),
}

const TOLD: ReadonlySet<string> = new Set(
  Object.values(BEHAVIOURS).flatMap(({ paid }) => (paid.kind === 'told' ? [paid.error] : [])),
)

/** Whether a message is one that a handler threw for its caller to read. */
export function isToldByHandler(error: string): boolean {
  return TOLD.has(error)
}

/** The behaviour of a name out of a recipe. Throws where there is none. */
export function behaviourOf(name: string): Behaviour {
  const behaviour = BEHAVIOURS[name]
  if (behaviour === undefined) throw new RangeError(`no behaviour called ${name}`)
  return behaviour
}
