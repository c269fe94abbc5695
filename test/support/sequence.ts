import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The share of a project's files that run last, shortest at the end. The workers then finish at about the same time. */
const lastShare = 1 / 4

const drawn = (root: string, { moduleId }: TestSpecification) =>
  createHash('sha256').update(relative(root, moduleId)).digest('hex')

/**
 * The order of test files. vitest's own order begins with the longest files of a project. Most of these wait for something, so all
 * workers would wait at once, and later all would compute at once. Here long and short files are mixed, always in the same way, and only
 * the shortest files run last. Files of a project stay together, because they share processes.
 */
export class MixedSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project)
    return [...byProject.values()].flatMap((sorted) => {
      const end = Math.ceil(sorted.length * (1 - lastShare))
      const keys = new Map(sorted.map((file) => [file, drawn(this.ctx.config.root, file)]))
      const mixed = sorted.slice(0, end).sort((a, b) => ((keys.get(a) ?? '') < (keys.get(b) ?? '') ? -1 : 1))
      return [...mixed, ...sorted.slice(end)]
    })
  }
}
