// npm run pay: one paid job to a running local agent.

import { root } from './prepare.mjs'

const { pay } = await import('../apps/local/dist/pay.js')
process.exitCode = await pay(process.argv.slice(2), root)
