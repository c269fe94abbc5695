import { useQuery } from '@tanstack/react-query'
import type { WireApi } from '../../../src/http/contract.ts'
import type { settingsContract } from '../../../src/settings/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { useProblem } from '../shared/failure.tsx'
import { Changes } from './changes.tsx'

type Result = Answer<WireApi<typeof settingsContract>['updateSettings']>

interface DryRun {
  readonly changes: Result['changes'] | undefined
  /** The server's message if it would refuse the change. */
  readonly problem: string | undefined
  /** Why the change cannot be saved now, for example because the server has not answered yet. */
  readonly blocked: string | undefined
  readonly lowersSecurity: boolean
}

/** Asks the server what a change of settings would do, before the change is saved. */
export const useDryRun = (key: readonly unknown[], ask: () => Promise<Result>): DryRun => {
  const { t } = useI18n()
  const problemOf = useProblem()
  const { data, error } = useQuery({ queryKey: ['settings dry run', ...key], queryFn: ask, gcTime: 0, retry: false })
  const problem = error === null ? undefined : problemOf(error)
  const isNothing = data?.changes.length === 0
  return {
    changes: data?.changes,
    problem,
    blocked: problem ?? (data === undefined ? t('setting.comparing') : isNothing ? t('setting.nothingToChange') : undefined),
    lowersSecurity: data?.changes.some(({ lowersSecurity }) => lowersSecurity) === true,
  }
}

/** Shows what the change would do, or why the server would refuse it. */
export const DryRunChanges = ({ of: { changes, problem } }: { readonly of: DryRun }) => {
  const { t } = useI18n()
  if (problem !== undefined)
    return (
      <p className="field-error break" role="alert">
        {problem}
      </p>
    )
  if (changes === undefined) return <span className="placeholder bone-block" />
  return changes.length === 0 ? <p>{t('setting.nothingToChange')}</p> : <Changes changes={changes} />
}
