import { use } from 'react'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { CopyButton } from './copy-button.tsx'

const download = (name: string, text: string) => {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

interface RecoveryCodesProps {
  readonly codes: readonly string[]
  /** Called when the person confirms that they have saved the codes. */
  readonly onKept: () => void
}

/** Shows recovery codes. They are shown only once, and can be copied, downloaded or printed. */
export const RecoveryCodes = ({ codes, onKept }: RecoveryCodesProps) => {
  const { resources } = useHosted()
  const { t } = useI18n()
  const site = use(resources.siteName())
  const title = t('codes.file', { site })
  return (
    <>
      <section className="recovery-codes" aria-label={title}>
        <p className="recovery-codes-title">{title}</p>
        <ul>
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
      </section>
      <div className="recovery-actions">
        <CopyButton text={codes.join('\n')} label={t('codes.copy')} />
        <Button
          kind="secondary"
          icon="download"
          onClick={() => download('recovery-codes.txt', `${title}\n\n${codes.join('\n')}\n`)}
        >
          {t('codes.download')}
        </Button>
        <Button kind="secondary" icon="print" onClick={() => print()}>
          {t('codes.print')}
        </Button>
      </div>
      <div className="actions">
        <Button onClick={onKept}>{t('codes.kept')}</Button>
      </div>
    </>
  )
}
