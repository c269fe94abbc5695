import { useState } from 'react'
import { SelectField } from '../../../shared/field.tsx'
import { useI18n } from '../../../shared/text.tsx'
import { ActionButton } from '../../shared/action-button.tsx'
import { Facts, Panel } from '../../shared/facts.tsx'
import { wordsOf } from '../addresses.ts'
import { EditDialog, listFlags } from '../edit-dialog.tsx'
import { LinesField } from '../fields.tsx'
import type { Application } from '../parts.tsx'
import { Words } from '../parts.tsx'

const modes = ['default', 'refuse', 'ignore'] as const

interface EditProps {
  readonly application: Application
  readonly onClose: () => void
}

const Edit = ({ application, onClose }: EditProps) => {
  const { t } = useI18n()
  const isMachine = application.type === 'machine'
  const [scopes, setScopes] = useState(application.scopes.join('\n'))
  const [permissions, setPermissions] = useState(application.permissions.join('\n'))
  const [unknown, setUnknown] = useState<string>(application.unknownScopes ?? 'default')
  const body = {
    scopes: wordsOf(scopes),
    unknownScopes: unknown === 'default' ? null : unknown,
    ...(isMachine ? { permissions: wordsOf(permissions) } : {}),
  }
  const flags = [
    ...listFlags('--scope', body.scopes),
    ...['--unknown-scopes', unknown],
    ...(body.permissions === undefined ? [] : listFlags('--permission', body.permissions)),
  ]
  return (
    <EditDialog title={t('clients.editScopes', { name: application.name })} {...{ application, body, flags, onClose }}>
      <LinesField name="scopes" label={t('clients.scopes')} hint={t('clients.scopesHint')} value={scopes} onValue={setScopes} />
      <SelectField
        name="unknownScopes"
        label={t('clients.unknownScopes')}
        defaultValue={unknown}
        options={modes.map((value) => ({ value, text: t(`clients.unknownScopes.${value}`) }))}
        onValue={setUnknown}
      />
      {isMachine ? (
        <LinesField
          name="permissions"
          label={t('clients.permissions')}
          hint={t('clients.permissionsHint')}
          value={permissions}
          onValue={setPermissions}
        />
      ) : null}
    </EditDialog>
  )
}

/** A panel with the scopes that an application may request, and with the permissions of a machine application. */
export const ScopesPanel = ({ application }: { readonly application: Application }) => {
  const { t } = useI18n()
  const [isEditing, setIsEditing] = useState(false)
  return (
    <Panel
      title={t('clients.scopes')}
      actions={
        <ActionButton permission="clients:update" onClick={() => setIsEditing(true)}>
          {t('clients.edit')}
          <span className="visually-hidden"> {t('clients.scopes')}</span>
        </ActionButton>
      }
    >
      <Facts
        rows={[
          [t('clients.scopes'), <Words key="scopes" words={application.scopes} />],
          [t('clients.unknownScopes'), t(`clients.unknownScopes.${application.unknownScopes ?? 'default'}`)],
          [
            t('clients.permissions'),
            application.type === 'machine' ? <Words key="permissions" words={application.permissions} /> : undefined,
          ],
        ]}
      />
      {isEditing ? <Edit application={application} onClose={() => setIsEditing(false)} /> : null}
    </Panel>
  )
}
