import { isBroken } from '../../core/wire.ts'
import type { EventIssue } from './parse.ts'

/** Far deeper than events are, and shallow enough for all that walks a body by recursion: schemas, JSON, this. */
const deepest = 200

const brokenText = { path: '', expected: 'text without U+0000 and lone surrogates', received: 'text with them' }

/** What no schema says and the database or the stack would not survive: text that no column holds, endless nesting. */
export const unstorable = (value: unknown, depth = 0): EventIssue | undefined => {
  if (typeof value === 'string') return isBroken(value) ? brokenText : undefined
  if (typeof value !== 'object' || value === null) return undefined
  if (depth === deepest) return { path: '', expected: `at most ${deepest} levels`, received: 'more' }
  for (const [key, child] of Object.entries(value)) {
    const issue = isBroken(key) ? brokenText : unstorable(child, depth + 1)
    if (issue !== undefined) return { ...issue, path: issue.path === '' ? key : `${key}.${issue.path}` }
  }
  return undefined
}
