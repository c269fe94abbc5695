import type { ReactNode } from 'react'
import { Suspense, useState } from 'react'
import type { WireApi } from '../../../src/http/contract.ts'
import type { settingsContract } from '../../../src/settings/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useLater } from '../shared/use-later.ts'
import type { Draft } from './draft.ts'
import { changeCount, forget, noDraft, SettingsFormContext, withValue, withWrong } from './draft.ts'

type SettingsAnswer = Answer<WireApi<typeof settingsContract>['listSettings']>

const loadReview = () => import('./review.tsx').then(({ ReviewDialog }) => ReviewDialog)

interface SettingsFormProps {
  /** All settings, as the server has sent them. */
  readonly answer: SettingsAnswer
  readonly children: ReactNode
}

/**
 * A form that saves several settings together. Its fields may be anywhere inside it. A bar at the bottom opens a review of the changes
 * before they are saved.
 */
export const SettingsForm = ({ answer, children }: SettingsFormProps) => {
  const { t } = useI18n()
  const [draft, setDraft] = useState<Draft>(noDraft)
  const [round, setRound] = useState(0)
  const [rounds, setRounds] = useState<Readonly<Record<string, number>>>({})
  const [seen, setSeen] = useState(answer.version)
  const [isReviewed, setIsReviewed] = useState(false)
  const Review = useLater(loadReview)
  const settings = new Map(answer.settings.map((setting) => [setting.key, setting]))
  const count = changeCount(draft)
  // Fields store their own text. When the stored settings have changed and nothing is typed, a new round (`roundOf`) makes all fields
  // show the new values.
  if (answer.version !== seen) {
    setSeen(answer.version)
    if (count === 0) setRound((before) => before + 1)
  }
  const renew = (key: string) => setRounds((before) => ({ ...before, [key]: (before[key] ?? 0) + 1 }))
  const end = () => {
    setDraft(noDraft)
    setRound((before) => before + 1)
  }
  const set = (key: string, value: Parameters<typeof withValue>[2]) => {
    const setting = settings.get(key)
    if (setting !== undefined) setDraft((before) => withValue(before, setting, value))
  }
  return (
    <SettingsFormContext
      value={{
        settings,
        draft,
        change: set,
        refuse: (key) => setDraft((before) => withWrong(before, key)),
        forgetTyped: (key) => setDraft((before) => forget(before, key)),
        reset: (key) => {
          setDraft((before) => forget(before, key))
          renew(key)
        },
        toDefault: (key) => {
          set(key, undefined)
          renew(key)
        },
        roundOf: (key) => `${round} ${rounds[key] ?? 0}`,
      }}
    >
      {children}
      {count === 0 ? null : (
        <section className="save-bar" aria-label={t('setting.unsaved', { count })}>
          <p role="status">{t('setting.unsaved', { count })}</p>
          <Button kind="secondary" onClick={end}>
            {t('setting.discard')}
          </Button>
          <Button blocked={draft.wrong.length > 0} onClick={() => setIsReviewed(true)}>
            {t('setting.review')}
          </Button>
        </section>
      )}
      {isReviewed ? (
        <Suspense>
          <Review answer={answer} draft={draft} onSaved={end} onClose={() => setIsReviewed(false)} />
        </Suspense>
      ) : null}
    </SettingsFormContext>
  )
}
