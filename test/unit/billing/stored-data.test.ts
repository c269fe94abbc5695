import { expect, test } from 'vitest'
import { dataOfRow, snapshotIn } from '../../../src/billing/state/store/entities.ts'
import { entityData, snapshotOf, stateData } from '../../support/billing-state.ts'

const kinds = ['subscription', 'grant', 'order', 'refund'] as const

test('a stored entity is read as it was stored, including unused fields', () => {
  for (const kind of kinds) {
    const data = { ...entityData, id: 'a', order_id: kind === 'refund' ? 'o' : null, further: [null] }
    expect(dataOfRow({ kind, data: JSON.stringify(data) })).toEqual(data)
  }
  expect(dataOfRow({ kind: 'customer_state', data: JSON.stringify(stateData) })).toEqual(stateData)
})

test('a stored entity without a required field is treated as missing, so that the next event or a rebuild corrects it', () => {
  for (const kind of kinds) {
    expect(dataOfRow({ kind, data: JSON.stringify({ ...entityData, id: 7 }) })).toBeUndefined()
    for (const data of ['{}', '[]', 'null', '', '{', null]) expect(dataOfRow({ kind, data })).toBeUndefined()
  }
  expect(dataOfRow({ kind: 'customer_state', data: JSON.stringify({ ...stateData, active_meters: null }) })).toBeUndefined()
  for (const kind of ['customer', 'product'] as const) expect(() => dataOfRow({ kind, data: '{}' })).toThrow(kind)
})

test('a snapshot in an outdated form is derived again', () => {
  expect(snapshotIn(snapshotOf('c'))).toEqual(JSON.parse(snapshotOf('c')))
  for (const json of ['{}', '[]', '{', snapshotOf('c', { grants: {} })]) expect(snapshotIn(json)).toBeUndefined()
})
