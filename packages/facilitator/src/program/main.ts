import { runFacilitator } from './run-facilitator.ts'

process.exit(await runFacilitator())
