/**
 * The categories of agents, in display order. An agent has at most one, chosen by its owner. This list is separate from
 * the schemas so that pages can load it without them.
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

/** One of {@link agentCategories}. */
export type AgentCategory = (typeof agentCategories)[number]
