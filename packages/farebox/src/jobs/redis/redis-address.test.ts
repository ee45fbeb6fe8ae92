import { expect, test } from 'vitest'
import { readRedisAddress } from './redis-address.ts'

test('D25 reads host, port, database, login, prefix and TLS, and names the store without the login', () => {
  expect(
    readRedisAddress('rediss://me%40home:p%2Fw@cache.example:7000/5?prefix=agents:echo&replicas=2'),
  ).toEqual({
    servers: [{ host: 'cache.example', port: 7000 }],
    place: { kind: 'servers' },
    database: 5,
    tls: true,
    username: 'me@home',
    password: 'p/w',
    prefix: 'agents:echo:',
    replicas: 2,
    name: 'rediss://cache.example:7000/5?prefix=agents:echo&replicas=2',
  })
})

test('D25 uses port 6379, database 0 and the prefix farebox: by default', () => {
  const login = { username: undefined, password: undefined }
  const silent = {
    place: { kind: 'servers' },
    database: 0,
    tls: false,
    ...login,
    prefix: 'farebox:',
    replicas: 0,
  }
  expect(readRedisAddress('redis://localhost')).toEqual({
    ...silent,
    servers: [{ host: 'localhost', port: 6379 }],
    name: 'redis://localhost:6379/0',
  })
  expect(readRedisAddress('redis://[::1]/')).toEqual({
    ...silent,
    servers: [{ host: '::1', port: 6379 }],
    name: 'redis://[::1]:6379/0',
  })
})

test('D25 reads several servers, Sentinels and the nodes of a cluster, in which one slot has all keys', () => {
  expect(readRedisAddress('redis://:secret@one,[::1]:7001,two:7002/3?prefix=a')).toMatchObject({
    servers: [
      { host: 'one', port: 6379 },
      { host: '::1', port: 7001 },
      { host: 'two', port: 7002 },
    ],
    place: { kind: 'servers' },
    password: 'secret',
    prefix: 'a:',
    name: 'redis://one:6379,[::1]:7001,two:7002/3?prefix=a',
  })
  expect(readRedisAddress('redis://one:26379,two:26379/0?sentinel=mymaster')).toMatchObject({
    place: { kind: 'sentinel', primary: 'mymaster' },
    prefix: 'farebox:',
    name: 'redis://one:26379,two:26379/0?sentinel=mymaster',
  })
  expect(readRedisAddress('rediss://one:7000?prefix=agents:echo&cluster=true')).toMatchObject({
    place: { kind: 'cluster' },
    prefix: '{agents:echo}:',
    name: 'rediss://one:7000/0?prefix=agents:echo&cluster=true',
  })
})

test.each([
  'redis://',
  'redis://:secret@',
  'redis://user:secret@host:port',
  'redis://user:secret%zz@host',
  'redis://:secret@host/jobs',
  'redis://:secret@host/0?prefix=',
  'redis://:secret@host/0?prefix=secret and more',
  'redis://:secret@host/0?prefix=a&prefix=b',
  'redis://:secret@host/0?replicas=many',
  'redis://:secret@host/0?replicas=1&replicas=2',
  'redis://:secret@host/0?password=secret',
  'redis://:secret@one,',
  'redis://:secret@one,user:secret@two',
  'redis://:secret@host/0?sentinel=a&cluster=true',
  'redis://:secret@host/0?sentinel=the secret',
  'redis://:secret@host/0?cluster=secret',
  'redis://:secret@host/1?cluster=true',
  'redis://:secret@host/0?prefix={secret}',
  'redis://:secret@host/0#secret',
])('refuses %s without repeating it', setting => {
  const read = () => readRedisAddress(setting)
  expect(read).toThrow(/^SERVICE_STORE: /)
  expect(read).not.toThrow(/secret/)
})
