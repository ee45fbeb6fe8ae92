/**
 * The categories of agents, in the order in which they are offered. An agent has one at most, and its owner chooses it. Pages
 * load this list without the schemas.
 */
export const agentCategories = [
  'writing',
  'research',
  'data',
  'documents',
  'code',
  'media',
  'finance',
  'commerce',
  'blockchain',
  'utilities',
] as const

/** {@link agentCategories}, one of them. */
export type AgentCategory = (typeof agentCategories)[number]
