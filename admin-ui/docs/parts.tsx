import { useState } from 'react'
import { Button } from '../shared/ui.tsx'
import type { ApiDocument, Schema } from './document.ts'
import { fieldsOf, limitsOf, resolve, typeOf } from './document.ts'

/** Renders a text of the document as paragraphs. Text between backticks is shown as code. */
export const Prose = ({ text }: { readonly text: string }) =>
  text.split(/\n{2,}/).map((paragraph) => (
    <p key={paragraph} className="api-prose">
      {paragraph.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={part}>{part}</code>))}
    </p>
  ))

export const Method = ({ method }: { readonly method: string }) => (
  <span className={`api-method api-method-${method.toLowerCase()}`}>{method}</span>
)

/** A block of code, with a button that copies it. Browsers allow copying only on secure origins. */
export const CodeBlock = ({ title, code }: { readonly title: string; readonly code: string }) => {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(code)
    setCopied(true)
  }
  return (
    <figure className="api-code">
      <figcaption className="api-code-head">
        <span>{title}</span>
        {window.isSecureContext ? (
          <Button kind="quiet" name={`Copy: ${title}`} onClick={() => void copy()}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        ) : null}
        <span className="visually-hidden" role="status">
          {copied ? `${title} copied` : ''}
        </span>
      </figcaption>
      <pre>
        <code>{code}</code>
      </pre>
    </figure>
  )
}

interface FieldRowProps {
  readonly document: ApiDocument
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
  /** The schemas inside which this field is shown. A recursive schema is not opened a second time. */
  readonly parents?: readonly Schema[]
}

/** A row for a parameter or for a field of an object. It shows name, type and constraints. The fields of an object can be opened. */
export const FieldRow = ({ document, name, schema, isRequired, parents = [] }: FieldRowProps) => {
  const resolved = resolve(document, schema)
  const inner = fieldsOf(document, schema)
  const description = schema.description ?? resolved.description
  const limits = limitsOf(resolved)
  return (
    <li className="api-field">
      <p className="api-field-head">
        <code className="api-field-name">{name}</code>
        <span className="api-type">{typeOf(document, schema)}</span>
        {isRequired ? <span className="badge badge-new">required</span> : null}
      </p>
      {description === undefined ? null : <Prose text={description} />}
      {limits.length === 0 ? null : <p className="api-limits">{limits.join(', ')}</p>}
      {inner === undefined || parents.includes(inner) ? null : (
        <details className="api-more">
          <summary>Fields of {name}</summary>
          <Fields document={document} schema={inner} parents={[...parents, inner]} />
        </details>
      )}
    </li>
  )
}

interface FieldsProps {
  readonly document: ApiDocument
  readonly schema: Schema
  readonly parents?: readonly Schema[]
}

const Fields = ({ document, schema, parents = [schema] }: FieldsProps) => (
  <ul className="api-fields">
    {Object.entries(schema.properties ?? {}).map(([name, property]) => (
      <FieldRow
        key={name}
        document={document}
        name={name}
        schema={property}
        isRequired={schema.required?.includes(name) === true}
        parents={parents}
      />
    ))}
  </ul>
)

/** Shows the type of a request or response body, and its fields. */
export const Body = ({ document, schema }: { readonly document: ApiDocument; readonly schema: Schema }) => {
  const inner = fieldsOf(document, schema)
  return (
    <>
      <p className="api-type">{typeOf(document, schema)}</p>
      {inner === undefined ? null : <Fields document={document} schema={inner} />}
    </>
  )
}
