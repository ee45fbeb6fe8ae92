import { expect, test } from 'vitest'
import { createCrowdedHosts } from './crowded-hosts.ts'

const ROOM = { limit: 10, perHost: 2 }

test('a host whose room is used up by a look is crowded until a look leaves some', () => {
  const crowded = createCrowdedHosts()
  expect(crowded.has('a')).toBe(false)
  crowded.note(['a', 'b'], { room: ROOM, underWay: new Map([['a', 1]]) })
  expect([crowded.has('a'), crowded.has('b')]).toEqual([true, false])
  crowded.note([], { room: ROOM, underWay: new Map([['a', 2]]) })
  expect(crowded.has('a'), 'nothing was taken for want of room').toBe(true)
  crowded.note(['a'], { room: ROOM, underWay: new Map() })
  expect(crowded.has('a')).toBe(false)
})

test('after a look that took as much as it could, every host may have jobs that wait', () => {
  const crowded = createCrowdedHosts()
  crowded.note(['a', 'b'], { room: { limit: 2, perHost: 8 }, underWay: new Map() })
  expect(crowded.has('c')).toBe(true)
  crowded.note([], { room: ROOM, underWay: new Map() })
  expect(crowded.has('c')).toBe(false)
})

test('a job that could not be sent at once has the next ones of its host wait behind it', () => {
  const crowded = createCrowdedHosts()
  crowded.add('a')
  expect([crowded.has('a'), crowded.has('b')]).toEqual([true, false])
})
