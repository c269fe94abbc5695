import { useState } from 'react'
import { useI18n } from '../../../shared/text.tsx'
import { ActionButton } from '../../shared/action-button.tsx'
import { Facts, Panel } from '../../shared/facts.tsx'
import { originRemarks, redirectRemarks, wordsOf } from '../addresses.ts'
import { EditDialog, listFlags } from '../edit-dialog.tsx'
import { LinesField } from '../fields.tsx'
import type { Application } from '../parts.tsx'
import { Words } from '../parts.tsx'

interface EditProps {
  readonly application: Application
  readonly onClose: () => void
}

export const AddressesDialog = ({ application, onClose }: EditProps) => {
  const { t } = useI18n()
  const { type } = application
  const [redirects, setRedirects] = useState(application.redirectUris.join('\n'))
  const [afterwards, setAfterwards] = useState(application.postLogoutRedirectUris.join('\n'))
  const [origins, setOrigins] = useState(application.webOrigins.join('\n'))
  const body = {
    redirectUris: wordsOf(redirects),
    postLogoutRedirectUris: wordsOf(afterwards),
    webOrigins: wordsOf(origins),
  }
  const remarks = {
    redirectUris: redirectRemarks(body.redirectUris, type, location.hostname),
    postLogoutRedirectUris: redirectRemarks(body.postLogoutRedirectUris, type, location.hostname),
    webOrigins: originRemarks(body.webOrigins),
  }
  const isMissing = body.redirectUris.length === 0
  const isWrong = Object.values(remarks).some((of) => of.some(({ isError }) => isError))
  const flags = [
    ...listFlags('--redirect-uri', body.redirectUris),
    ...listFlags('--post-logout-redirect-uri', body.postLogoutRedirectUris),
    ...listFlags('--web-origin', body.webOrigins),
  ]
  const problem = isMissing ? t('clients.redirectMissing') : isWrong ? t('clients.wrongAddresses') : undefined
  return (
    <EditDialog
      title={t('clients.editAddresses', { name: application.name })}
      {...{ application, body, flags, problem, onClose }}
    >
      <LinesField
        name="redirectUris"
        label={t('clients.redirectUris')}
        hint={t('clients.redirectHint')}
        value={redirects}
        remarks={remarks.redirectUris}
        onValue={setRedirects}
      />
      <LinesField
        name="postLogoutRedirectUris"
        label={t('clients.postLogoutRedirectUris')}
        hint={t('clients.postLogoutHint')}
        value={afterwards}
        remarks={remarks.postLogoutRedirectUris}
        onValue={setAfterwards}
      />
      <LinesField
        name="webOrigins"
        label={t('clients.webOrigins')}
        hint={t('clients.webOriginsHint')}
        value={origins}
        remarks={remarks.webOrigins}
        onValue={setOrigins}
      />
    </EditDialog>
  )
}

/** A panel with the redirect URIs of an application, and the origins that may make cross-origin calls for it. */
export const AddressesPanel = ({ application }: { readonly application: Application }) => {
  const { t } = useI18n()
  const [isEditing, setIsEditing] = useState(false)
  return (
    <Panel
      title={t('clients.addresses')}
      actions={
        <ActionButton permission="clients:update" onClick={() => setIsEditing(true)}>
          {t('clients.edit')}
          <span className="visually-hidden"> {t('clients.addresses')}</span>
        </ActionButton>
      }
    >
      <Facts
        rows={[
          [t('clients.redirectUris'), <Words key="redirects" words={application.redirectUris} />],
          [t('clients.postLogoutRedirectUris'), <Words key="afterwards" words={application.postLogoutRedirectUris} />],
          [t('clients.webOrigins'), <Words key="origins" words={application.webOrigins} />],
        ]}
      />
      {isEditing ? <AddressesDialog application={application} onClose={() => setIsEditing(false)} /> : null}
    </Panel>
  )
}
