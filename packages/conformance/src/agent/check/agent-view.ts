import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import { formatProblem } from '@farebox/protocol/problems/problem'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { sample } from '@farebox/protocol/samples/sample'
import { describeReply } from '../exchange/expectations.ts'
import type { Outgoing, Reply } from '../exchange/send-request.ts'
import { NotApplicable } from '../exchange/verdicts.ts'

/** The agent's declaration, read once and validated. */
export interface AgentView {
  readonly declaration: Declaration
  readonly maxDeadlineSeconds: number
  /** Names in the declared order. */
  readonly names: readonly string[]
  /** The capability of a request without a name. */
  readonly first: string
  capability(name: string): Capability
  /** Returns a valid input. Throws `NotApplicable` when none can be made from the schema. */
  sampleOf(name: string): JsonObject
}

/**
 * Reads `/about`. Throws `NotApplicable` when the response is not a declaration; the checks of `/about` report what is
 * wrong.
 */
export async function readAgentView(send: (outgoing: Outgoing) => Promise<Reply>): Promise<AgentView> {
  const reply = await send({ method: 'GET', path: '/about' })
  const { status, json } = reply
  const checked = checkDeclaration(json)
  if (status !== 200 || !checked.ok) {
    const [problem] = checked.ok || json === undefined ? [] : checked.problems
    const why = problem === undefined ? describeReply(reply) : formatProblem(problem)
    throw new NotApplicable('agent', `GET /about does not answer a valid declaration (${why})`)
  }
  const { declaration } = checked
  const capabilities = new Map(Object.entries(declaration.capabilities))
  const [first = ''] = capabilities.keys()
  const capability = (name: string): Capability => {
    const declared = capabilities.get(name)
    if (declared === undefined) throw new NotApplicable('agent', `${name} is not declared`)
    return declared
  }
  return {
    declaration,
    maxDeadlineSeconds: declaration.max_deadline_seconds,
    names: [...capabilities.keys()],
    first,
    capability,
    sampleOf(name) {
      const made = sample(capability(name).input_schema)
      if (made.ok) return made.value
      throw new NotApplicable(
        'agent',
        `no sample input for ${name}: ${made.violation.field}: ${made.violation.reason}`,
      )
    },
  }
}
