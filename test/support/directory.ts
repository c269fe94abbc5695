/** Directories for the files that tests write. */
import { rmSync } from 'node:fs'
import { afterAll } from 'vitest'
import { scratchDirectory } from './scratch.ts'

/** Makes an empty directory and removes it after all tests of the file. Call it where a file declares its tests, not inside a test. */
export const temporaryDirectory = (): string => {
  const path = scratchDirectory('gatehouse-test-')
  afterAll(() => rmSync(path, { recursive: true, force: true }))
  return path
}
