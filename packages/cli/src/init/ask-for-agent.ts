import { usageError } from '../command-error.ts'
import type { World } from '../world.ts'
import { DEFAULT_AGENT, type NewAgent, refuseAnswer } from './project/new-agent.ts'
import { agentNameOf } from './project/package-name.ts'

/** The answers on the command line; the others are asked for, or taken from the defaults. */
export type GivenAnswers = { readonly [key in keyof NewAgent]?: string | undefined }

export interface AgentQuestions {
  /** The absolute path of the agent's folder, which suggests its name. */
  readonly folder: string
  /** Whether to use the defaults and ask nothing. */
  readonly yes: boolean
}

/** The questions in the order in which they are asked. */
const QUESTIONS: readonly {
  readonly key: keyof NewAgent
  readonly flag: string
  readonly question: string
}[] = [
  { key: 'name', flag: '--name', question: 'What is the agent called?' },
  { key: 'description', flag: '--description', question: 'What is it for?' },
  { key: 'capability', flag: '--capability', question: 'What do callers call the first thing it does?' },
  { key: 'does', flag: '--does', question: 'And what does that do?' },
  { key: 'price', flag: '--price', question: 'What does a job cost, in USDC?' },
]

/**
 * Collects the data of a new agent: from the command line, from a person, or from the defaults. Each answer is validated
 * against the rules of the declaration when it is given.
 *
 * Throws a `CommandError` for an invalid flag, when no person can be asked, and when the person cancels.
 */
export async function askForAgent(
  world: World,
  given: GivenAnswers,
  options: AgentQuestions,
): Promise<NewAgent> {
  for (const { key, flag } of QUESTIONS) {
    const answer = given[key]
    const reason = answer === undefined ? undefined : refuseAnswer(key, answer)
    if (reason !== undefined) throw usageError(`${flag}: ${reason}`, EXAMPLE)
  }
  const suggested = { ...DEFAULT_AGENT, name: agentNameOf(options.folder) }
  if (!options.yes && !world.canAsk) refuseSilence(given)
  const answers: { -readonly [key in keyof NewAgent]: string } = { ...suggested }
  for (const { key, question } of QUESTIONS) {
    const initial = suggested[key]
    const asked = {
      initial,
      placeholder: initial,
      refuse: (answer: string) => refuseAnswer(key, answer.trim()),
    }
    const mustAsk = !options.yes && world.canAsk
    answers[key] = given[key] ?? (mustAsk ? (await world.ask.text(question, asked)).trim() : initial)
  }
  return answers
}

/**
 * Refuses missing answers when no person can be asked. The folder suggests a name, and the capability can be described
 * later; callers see the others first.
 */
function refuseSilence(given: GivenAnswers): void {
  const open = QUESTIONS.filter(({ key }) => !['name', 'does'].includes(key) && given[key] === undefined)
  if (open.length === 0) return
  throw usageError(
    `there is no terminal to ask on, and ${open.map(({ flag }) => flag).join(', ')} ${open.length === 1 ? 'is' : 'are'} not given`,
    `add --yes for sensible defaults, or give all of them:\n${EXAMPLE}`,
  )
}

const EXAMPLE = '--description "Counts words." --capability count --price 0.002'
