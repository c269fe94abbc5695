import { useState } from 'react'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { Said } from '../said.tsx'

/** Where a verification link leads a person who is not signed in: programs that read mail open links, but press no buttons. */
export const ConfirmEmailPage = () => {
  const { query } = useHosted()
  const { t } = useI18n()
  const [working, setWorking] = useState(false)
  useTitle(t('confirmEmail.title'))
  const confirm = () => {
    setWorking(true)
    const asked = new URLSearchParams(query)
    asked.set('confirmed', 'true')
    location.assign(`/verify-email?${asked}`)
  }
  return (
    <Said icon="mail" title={t('confirmEmail.title')} text={t('confirmEmail.text')}>
      <div className="actions">
        <Button working={working} onClick={confirm}>
          {t('confirmEmail.submit')}
        </Button>
      </div>
    </Said>
  )
}
