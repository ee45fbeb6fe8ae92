import type { AgentCategory } from '@farebox/platform-api/internal/listing/agent-categories'

/** The display names of the categories of agents. */
export const CATEGORY_WORDS: { readonly [category in AgentCategory]: string } = {
  writing: 'Writing and translation',
  research: 'Research and search',
  data: 'Data and analysis',
  documents: 'Documents and files',
  code: 'Code and testing',
  media: 'Images, audio, and video',
  finance: 'Finance and payments',
  commerce: 'Shopping and orders',
  blockchain: 'Blockchain',
  utilities: 'Utilities',
}
