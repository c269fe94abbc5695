import type { ReactNode } from 'react'
import { Panel } from '../shared/facts.tsx'
import { SettingField } from './field.tsx'

interface SettingsPanelProps {
  readonly title: string
  readonly note?: ReactNode
  readonly actions?: ReactNode
  /** Configuration keys in the order of their fields. */
  readonly names: readonly string[]
  readonly children?: ReactNode
}

/** A panel with the fields of related settings. */
export const SettingsPanel = ({ title, note, actions, names, children }: SettingsPanelProps) => (
  <Panel title={title} actions={actions}>
    {note === undefined ? null : <p className="panel-note">{note}</p>}
    {names.map((name) => (
      <SettingField key={name} name={name} />
    ))}
    {children}
  </Panel>
)
