/** Directories for the files that tests write. */
import { rmSync } from 'node:fs'
import { afterAll } from 'vitest'
import { scratchDirectory } from './scratch.ts'

/** A new, empty directory, removed when all tests of the file have run. Called where a file declares its tests, not inside a test. */
export const temporaryDirectory = (): string => {
  const path = scratchDirectory('gatehouse-test-')
  afterAll(() => rmSync(path, { recursive: true, force: true }))
  return path
}
