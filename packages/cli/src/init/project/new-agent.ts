import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
import { type Declaration, WALLET_PLACEHOLDER } from '@farebox/protocol/declaration/declaration'

export interface NewAgent {
  readonly name: string
  readonly description: string
  readonly capability: string
  readonly does: string
  /** The decimal USDC price of each job (D1). */
  readonly price: string
}

export const DEFAULT_AGENT: NewAgent = {
  name: 'Agent',
  description: 'Tells what is in a text.',
  capability: 'count',
  does: 'Words of a text, the longest of them, and how long they take to read.',
  price: '0.001',
}

/** The input of the first call. */
export const SAMPLE_TEXT = 'Exact fare, please'

/** Builds the declaration of a new agent. It matches the handler in `templates/handlers.ts.template`. */
export function declarationOf({ name, description, capability, does, price }: NewAgent): Declaration {
  return {
    service_version: '1.0',
    name,
    description,
    wallet: WALLET_PLACEHOLDER,
    max_deadline_seconds: 60,
    capabilities: {
      [capability]: {
        description: does,
        pricing: { model: 'per_job', amount: price, currency: 'USDC' },
        input_schema: {
          text: {
            type: 'string',
            required: true,
            minLength: 1,
            maxLength: 20_000,
            description: 'The text to read',
            examples: [SAMPLE_TEXT],
          },
          words_per_minute: {
            type: 'integer',
            minimum: 50,
            maximum: 1_000,
            default: 220,
            description: 'How fast the reader reads',
          },
        },
        output_schema: {
          words: { type: 'integer', description: 'Words, numbers included' },
          longest: { type: 'string', description: 'The first of the longest words' },
          reading_seconds: { type: 'integer', description: 'At the given speed' },
        },
      },
    },
  }
}

/** Returns why an answer violates the rules of the declaration (D28), or `undefined` when it is valid. */
export function refuseAnswer(key: keyof NewAgent, answer: string): string | undefined {
  const checked = checkDeclaration(declarationOf({ ...DEFAULT_AGENT, [key]: answer }))
  return checked.ok ? undefined : checked.problems[0]?.reason
}
