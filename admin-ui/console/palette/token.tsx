import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { CopyField } from '../shared/copy-field.tsx'
import { Facts } from '../shared/facts.tsx'
import { Time } from '../shared/time.tsx'
import type { Guess } from './recognise.ts'
import { timesOf } from './recognise.ts'

const tones = { expired: 'bad', early: 'warn', current: 'good', endless: 'plain' } as const

/** Shows header and payload of a pasted token, and whether the token is expired. The token is not sent to the server. */
export const TokenParts = ({ token }: { readonly token: Extract<Guess, { readonly kind: 'jwt' }> }) => {
  const { t } = useI18n()
  const { issuedAt, expiresAt, state } = timesOf(token.payload, Date.now())
  return (
    <div className="token">
      <p className="token-title">
        {t('console.token.title')} <Badge tone={tones[state]}>{t(`console.token.${state}`)}</Badge>
      </p>
      <Facts
        rows={[
          [t('console.token.issuedAt'), issuedAt === undefined ? undefined : <Time key="issued" at={issuedAt} exact />],
          [t('console.token.expiresAt'), expiresAt === undefined ? undefined : <Time key="expires" at={expiresAt} exact />],
        ]}
      />
      <CopyField label={t('console.token.header')} value={JSON.stringify(token.header, null, 2)} isBlock />
      <CopyField label={t('console.token.payload')} value={JSON.stringify(token.payload, null, 2)} isBlock />
      <p className="call-note">{t('console.token.note')}</p>
    </div>
  )
}
