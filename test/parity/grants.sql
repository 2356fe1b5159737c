-- Sets privileges after the server has started, because the server itself grants all roles all privileges on tables
-- with row-level security when it starts.

revoke all on all tables in schema public from anon, authenticated;
revoke execute on all functions in schema public from public, anon, authenticated;

grant usage on schema public, private to anon, authenticated;
grant execute on function private.workspace_id, public.create_pipeline_run_job to authenticated;
grant select on public.pipelines, public.datasources, public.pipelines_and_datasources, public.jobs
  to authenticated;
grant update (job_status) on public.jobs to authenticated;
