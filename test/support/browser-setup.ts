import type { TestProject } from 'vitest/node'
import { skipWhenAbsent } from './absent.ts'
import { prepareBrowser } from './browser.ts'

export default async (project: TestProject) => {
  await skipWhenAbsent(project, prepareBrowser)
}
