import type { Handler } from './agent.d.ts'

export default (({ text }) => ({ text: text.toUpperCase() })) satisfies Handler
