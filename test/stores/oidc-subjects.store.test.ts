import * as subjects from '../../src/oidc/subjects/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const row = (key: string): subjects.SubjectKeyRow => ({ id: 'pairwise', key: key as never, createdAt: at })

compareStore(
  'oidc/subjects/store',
  subjects,
  async ({ db, transact, store }) => {
    await store.findSubjectKey(db, 'pairwise')
    await transact(async (tx) => {
      await store.insertSubjectKey(tx, row('sealed'))
      await store.insertSubjectKey(tx, row('another'))
    })
    await store.findSubjectKey(db, 'pairwise')
  },
  { uncalled: ['contextOf'] },
)
