import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { listedCommands } from '../../src/cli/help.ts'
import { createProgram } from '../../src/cli/program.ts'
import { outputFormats } from '../../src/core/output/format.ts'
import { runCommand, slow } from '../support/binary.ts'

const script = async (shell: string) => {
  const { exitCode, stdout, stderr } = await runCommand(['completion', shell], {})
  expect([exitCode, stderr]).toEqual([0, ''])
  return stdout
}

/** The proposals of bash for the last of the words, as bash splits a line into words. */
const completed = (source: string, ...words: readonly string[]): readonly string[] => {
  const quoted = words.map((word) => `'${word}'`).join(' ')
  const run = `COMP_WORDS=(gatehouse ${quoted}); COMP_CWORD=${words.length}; _gatehouse; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-c', `${source}\n${run}`], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  return stdout.split('\n').filter((word) => word !== '')
}

test('bash completes every command, its own options and the common options', slow, async () => {
  const source = await script('bash')
  const program = createProgram()
  const commands = listedCommands(program)
  expect(completed(source, '')).toEqual(commands.map((command) => command.name()))
  expect(completed(source, 'list-ma')).toEqual(['list-mails'])
  for (const name of ['list-mails', 'create-user', 'serve']) {
    const own = commands.find((command) => command.name() === name)?.options.map(({ long }) => long) ?? []
    expect(completed(source, name, '--')).toEqual(expect.arrayContaining([...own, '--config', '--output', '--help']))
  }
  expect(completed(source, 'list-mails', '--st')).toEqual(['--state'])
  expect(completed(source, '--ver')).toEqual(['--version'])
})

test('bash completes the values of options and arguments with a fixed set of values', slow, async () => {
  const source = await script('bash')
  expect(completed(source, 'list-mails', '--state', '')).toEqual(['pending', 'sent', 'failed'])
  expect(completed(source, 'list-mails', '-o', 'js')).toEqual(['json', 'jsonl'])
  expect(completed(source, 'list-mails', '--output', '=', '')).toEqual([...outputFormats])
  expect(completed(source, 'list-mails', '--output', '=')).toEqual([...outputFormats])
  expect(completed(source, 'completion', '')).toEqual(['bash', 'zsh', 'fish'])
  expect(completed(source, 'help', 'list-ma')).toEqual(['list-mails'])
  expect(completed(source, '--config', 'package.js')).toEqual(['package.json'])
  expect(completed(source, '--data-dir', 'doc')).toEqual(['docs'])
})

test('bash does not mistake the value of an option for a command, and offers nothing if any text is allowed', slow, async () => {
  const source = await script('bash')
  expect(completed(source, '--url', 'serve', 'list-ma')).toEqual(['list-mails'])
  expect(completed(source, 'create-org', '--name', '')).toEqual([])
  expect(completed(source, 'retry-mail', '')).toEqual([])
})

for (const shell of ['bash', 'zsh', 'fish'] as const)
  test(`${shell} can parse its completion script`, slow, async (context) => {
    const source = await script(shell)
    if (spawnSync(shell, ['-c', 'true']).error !== undefined) context.skip(`${shell} is not installed`)
    const { stderr, status } = spawnSync(shell, ['-n'], { input: source, encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  })

test('the scripts for zsh and fish name every command and the values of its options', slow, async () => {
  const [zsh, fish] = [await script('zsh'), await script('fish')]
  for (const command of listedCommands(createProgram())) {
    expect(zsh).toContain(`'${command.name()}:`)
    expect(fish).toContain(` -a ${command.name()} -d '`)
  }
  expect(zsh).toContain("'*--state[only in this state]:value:(pending sent failed)'")
  expect(fish).toContain("-n '__fish_seen_subcommand_from list-mails' -l state -x -a 'pending sent failed'")
})

test('an unknown shell is a usage error, and the message names the known shells', slow, async () => {
  const wrong = await runCommand(['completion', 'csh'], {})
  expect([wrong.exitCode, wrong.stdout]).toEqual([2, ''])
  expect(wrong.stderr).toContain('bash, zsh, fish')
})
