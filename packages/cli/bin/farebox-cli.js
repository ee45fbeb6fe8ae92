#!/usr/bin/env node
// This file is committed so that npm can link the command before the packages are built.
import { existsSync } from 'node:fs'

const program = new URL('../dist/bin.js', import.meta.url)
if (existsSync(program)) {
  await import('../dist/bin.js')
} else {
  process.stderr.write('✗ this clone of Farebox is not built\n  npm run build\n')
  process.exitCode = 1
}
