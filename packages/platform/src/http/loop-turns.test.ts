import { expect, test } from 'vitest'
import { inLoopTurn } from './loop-turns.ts'

test('small work is done at once, and large work after other work has run', async () => {
  const done: string[] = []
  const large = inLoopTurn('x'.repeat(20_000), () => done.push('large'))
  const small = inLoopTurn('x', () => done.push('small'))
  await Promise.all([large, small])
  expect(done).toEqual(['small', 'large'])
})
