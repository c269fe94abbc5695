import { useState } from 'react'
import type { CallParts } from '../../../src/http/client.ts'
import { ApiError } from '../../../src/http/client.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import { settingsContract } from '../../../src/settings/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { Confirm } from '../shared/confirm.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useChange } from '../shared/use-change.ts'
import type { Draft } from './draft.ts'
import { DryRunChanges, useDryRun } from './dry-run.tsx'
import './settings.css'

type SettingsAnswer = Answer<WireApi<typeof settingsContract>['listSettings']>

const shellValue = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** The command that makes these changes. Undefined if a secret changes, because the shell would store the secret in its history. */
const commandOf = ({ set, unset }: Pick<Draft, 'set' | 'unset'>, isSecret: (key: string) => boolean) => {
  const pairs = Object.entries(set)
  if (pairs.some(([key]) => isSecret(key)) || (pairs.length > 0 && unset.length > 0)) return undefined
  if (pairs.length > 0) return ['config', 'set', ...pairs.map(([key, value]) => `${key}=${shellValue(value)}`)]
  return ['config', 'unset', ...unset]
}

interface ReviewDialogProps {
  readonly answer: SettingsAnswer
  readonly draft: Pick<Draft, 'set' | 'unset'>
  readonly title?: string
  readonly onSaved?: () => void
  readonly onClose: () => void
}

/**
 * Shows the changes as the server computes them. Only then does the person save them, with an optional reason. A change that lowers
 * security also needs a recent proof of identity.
 */
export const ReviewDialog = ({ answer, draft, title, onSaved, onClose }: ReviewDialogProps) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const save = useChange(settingsContract, 'updateSettings', t('setting.saved'))
  const [canForce, setCanForce] = useState(false)
  const { set, unset } = draft
  const body = { set, unset: [...unset] }
  const dryRun = useDryRun([body, answer.version], () =>
    api.call(settingsContract, 'updateSettings', { body: { ...body, dryRun: true } }),
  )
  const secrets = new Set(answer.settings.filter(({ isSecret }) => isSecret).map(({ key }) => key))
  const isSecret = (key: string) => secrets.has(key) || /secret|password|smtpUrl/i.test(key)
  const shown: CallParts = {
    body: { ...body, set: Object.fromEntries(Object.entries(set).map(([key, value]) => [key, isSecret(key) ? '…' : value])) },
  }
  const send = async (reason: string, form: FormData) => {
    try {
      await save({ body: { ...body, force: form.has('force') }, reason, ifMatch: api.etagOf(answer) })
    } catch (failure) {
      if (failure instanceof ApiError && failure.code === 'SETTING_DOES_NOT_WORK') setCanForce(true)
      throw failure
    }
    onSaved?.()
  }
  return (
    <Confirm
      title={title ?? t('setting.reviewTitle')}
      consequences={[]}
      action={t('setting.save')}
      isDangerous={dryRun.lowersSecurity}
      reason="optional"
      blocked={dryRun.blocked}
      foot={<ShowCall target={settingsContract.updateSettings} input={shown} command={commandOf(draft, isSecret)} />}
      onConfirm={send}
      onClose={onClose}
    >
      <DryRunChanges of={dryRun} />
      {canForce ? (
        <label className="setting-way">
          <input type="checkbox" name="force" />
          {t('setting.force')}
        </label>
      ) : null}
    </Confirm>
  )
}
