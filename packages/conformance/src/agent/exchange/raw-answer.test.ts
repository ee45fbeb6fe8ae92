import { expect, test } from 'vitest'
import { readRawAnswer } from './raw-answer.ts'

const answer = (head: string, body: string): string => `HTTP/1.1 200 OK\r\n${head}\r\n\r\n${body}`

test('a response is complete when its body has the declared length', () => {
  expect(readRawAnswer(answer('Content-Length: 4', '{}'))).toMatchObject({ isWhole: false })
  expect(readRawAnswer(answer('Content-Length: 2', '{}more'))).toMatchObject({ isWhole: true, json: {} })
})

test('the chunks of a response are joined', () => {
  const chunks = '5\r\n{"a":\r\n2;x=y\r\n1}\r\n'
  expect(readRawAnswer(answer('Transfer-Encoding: chunked', chunks))).toMatchObject({ isWhole: false })
  expect(readRawAnswer(answer('transfer-encoding: Chunked', `${chunks}0\r\n\r\n`))).toMatchObject({
    isWhole: true,
    json: { a: 1 },
  })
})

test('the body of a response without a length ends with the connection', () => {
  expect(readRawAnswer(answer('Connection: close', '{}'))).toMatchObject({ isWhole: false, json: {} })
})

test('text that is not HTTP is not a response, and a malformed header line is skipped', () => {
  expect(readRawAnswer('SSH-2.0-x\r\n\r\n')).toBeUndefined()
  expect(readRawAnswer('HTTP/1.1 200 OK\r\nContent-')).toBeUndefined()
  expect(readRawAnswer(answer('a b: c\r\nX: \u0000\r\nContent-Length: 0', ''))).toMatchObject({
    status: 200,
    isWhole: true,
  })
})
