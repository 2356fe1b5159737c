-- The documented interface of the service, for a PostgREST-compatible server. The claim workspace_id of the access
-- token identifies the caller, and row-level security hides the rows of other workspaces.

create role anon nologin;
create role authenticated nologin;

create schema private;

create table public.workspaces (
  id uuid primary key,
  name text not null,
  -- The number of runs that the workspace can still pay for, or null if the number is unlimited.
  credits integer check (credits >= 0)
);

-- Only the token exchange reads this table.
create table private.api_keys (
  value text primary key,
  workspace_id uuid not null references public.workspaces,
  revoked boolean not null default false
);

create table public.pipelines (
  id uuid primary key,
  workspace_id uuid not null references public.workspaces,
  name text not null,
  api_name text,
  active boolean not null,
  -- The position of the row in the list.
  position integer not null
);

create table public.datasources (
  id uuid primary key default gen_random_uuid(),
  pipeline_id uuid not null references public.pipelines
);

create table public.jobs (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references public.workspaces,
  pipeline_id uuid not null references public.pipelines,
  job_status text not null default 'queued',
  status_message text,
  full_resync boolean not null default false,
  reset_target boolean not null default false
);

create view public.pipelines_and_datasources with (security_invoker = true) as
  select p.id as pipeline_id, p.name as pipeline_name, p.api_name as pipeline_api_name
  from public.pipelines p left join public.datasources d on d.pipeline_id = p.id
  order by p.position;

create function private.workspace_id() returns uuid language sql stable as $$
  select (nullif(current_setting('request.jwt.claims', true), '')::json ->> 'workspace_id')::uuid
$$;

alter table public.workspaces enable row level security;
alter table public.pipelines enable row level security;
alter table public.datasources enable row level security;
alter table public.jobs enable row level security;

create policy own on public.pipelines for select to authenticated
  using (workspace_id = private.workspace_id());
create policy own on public.datasources for select to authenticated
  using (exists (select from public.pipelines p where p.id = pipeline_id));
create policy own on public.jobs for select to authenticated
  using (workspace_id = private.workspace_id());
-- Clients may only cancel runs.
create policy cancel on public.jobs for update to authenticated
  using (workspace_id = private.workspace_id())
  with check (workspace_id = private.workspace_id() and job_status = 'cancelled');

-- Queues exactly one run and returns its id, or null if the workspace is out of credits.
create function public.create_pipeline_run_job(
  p_pipeline_id uuid,
  p_job_type text default 'pipeline_run',
  p_full_resync boolean default false,
  p_reset_target boolean default false
) returns uuid language plpgsql security definer set search_path = '' as $$
declare
  caller constant uuid := private.workspace_id();
  wanted public.pipelines;
  made uuid;
begin
  -- Both PostgREST and Supabase Lite respond to PT400 with status 400, but only PostgREST does so for plain exceptions.
  if p_job_type is distinct from 'pipeline_run' then
    raise sqlstate 'PT400' using message = 'Unsupported job type';
  end if;
  select * into wanted from public.pipelines where id = p_pipeline_id and workspace_id = caller;
  if not found then
    raise sqlstate 'PT400' using message = 'Pipeline not found or not accessible';
  end if;
  if not wanted.active then
    raise sqlstate 'PT400' using message = 'Pipeline is not active';
  end if;
  update public.workspaces set credits = credits - 1 where id = caller and (credits > 0 or credits is null);
  if not found then
    return null;
  end if;
  insert into public.jobs (workspace_id, pipeline_id, full_resync, reset_target)
  values (caller, wanted.id, p_full_resync, p_reset_target)
  returning id into made;
  return made;
end
$$;
