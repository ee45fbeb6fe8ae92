import { runPlatform } from './run-platform.ts'

process.exit(await runPlatform())
